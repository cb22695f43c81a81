import { expect, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres.ts'
import { startPostgres } from '../support/lifetime.ts'
import { control, environmentId } from '../support/sandbox.ts'
import { create, created, order, retrieve, startTestService, statusOf } from '../support/service.ts'

const hour = 3600_000
const { env } = await startPostgres()
const one = await startTestService(env)
const other = { ...(await startTestService(env)), apiKey: one.apiKey }
const clock = `/environments/${await environmentId(one)}/clock`

test('uses a clock that another instance has set within seconds', async () => {
  const { id } = await created(one)
  await control(one, 'PUT', clock, { offset: 25 * hour })
  await expect.poll(() => statusOf(other, id), { timeout: 10_000 }).toBe('expired')
  await control(one, 'DELETE', clock)
})

test('returns 504 if a statement runs out of time, and commits its retry once', async () => {
  const { id } = await created(one)
  const key = { 'idempotency-key': 'out-of-time' }
  const db = await openPostgres(env.PI_DATABASE_URL)
  await db.transaction(async (tx) => {
    await tx.query`lock table intents in access exclusive mode`
    const responses = Promise.all([create(one, order, key), retrieve(one, id)])
    let canceled = 0
    const cancel = async (): Promise<number> => {
      const found = await db.query`
        select pg_cancel_backend(pid) from pg_stat_activity
         where wait_event_type = 'Lock' and query like '%intents%'`
      canceled += found.length
      return canceled
    }
    await expect.poll(cancel).toBeGreaterThanOrEqual(2)
    for (const response of await responses) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([504, '1'])
      expect(await response.json()).toMatchObject({ code: 'timeout', retryable: true })
    }
  })
  await db.close()
  expect((await create(one, order, key)).status).toBe(201)
})
