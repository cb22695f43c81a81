import { expect, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres.ts'
import { startPostgres } from '../support/lifetime.ts'
import { control, environmentId } from '../support/sandbox.ts'
import {
  create,
  created,
  isReplay,
  order,
  retrieve,
  startTestService,
  statusOf,
} from '../support/service.ts'

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

test('creates one intent from forty requests at two instances with one expired key', async () => {
  // At each: the other would learn it within five seconds.
  const setClock = async (offset: number): Promise<void> => {
    for (const instance of [one, other]) await control(instance, 'PUT', clock, { offset })
  }
  const key = { 'idempotency-key': 'expired' }
  const old = await (await create(one, order, key)).text()
  await setClock(23 * hour)
  expect(await (await create(one, order, key)).text()).toBe(old)

  await setClock(49 * hour)
  const responses = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const body = index % 2 === 0 ? order : { ...order, amount: 1 }
      const response = await create(index % 4 < 2 ? one : other, body, key)
      return { status: response.status, isNew: !isReplay(response), text: await response.text() }
    }),
  )
  const accepted = responses.filter(({ status }) => status === 201)
  expect(accepted).toHaveLength(20)
  expect(accepted.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(new Set([old, ...accepted.map(({ text }) => text)]).size).toBe(2)
  expect(responses.filter(({ status }) => status === 422)).toHaveLength(20)
  await setClock(0)
})
