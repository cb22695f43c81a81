import { startTemporaryPostgres, type TemporaryPostgres } from '@pi-checkout/test-support/postgres'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { startService } from '../../src/start/start.ts'
import { control, openChanges, raceForExpiredKeys } from '../support/sandbox.ts'
import { create, order, retrieve, type TestService } from '../support/service.ts'

let server: TemporaryPostgres
let one: TestService
let other: TestService

beforeAll(async () => {
  server = await startTemporaryPostgres({ fsync: 'off' })
  const secretKeys = newSecretKeys()
  const start = async (apiKey: string | null): Promise<TestService> => {
    const env = { PI_DATABASE_URL: server.url, PI_SECRET_KEYS: secretKeys }
    const running = await startService(readConfig({ port: '0' }, env), pino({ enabled: false }))
    const { ready } = running
    return { ...running, url: ready.baseUrl, apiKey: String(ready.apiKey ?? apiKey) }
  }
  one = await start(null)
  other = await start(one.apiKey)
})

afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await server.stop()
})

async function make(service: TestService, headers: Record<string, string> = {}): Promise<string> {
  const { id } = (await (await create(service, order, headers)).json()) as { id: string }
  return id
}

test('an intent that one instance settles is settled at the other', async () => {
  const id = await make(one)
  await control(one, 'POST', `/intents/${id}/settle`, { outcome: 'processing' })
  await control(other, 'POST', `/intents/${id}/settle`, { outcome: 'succeeded' })
  expect(await (await retrieve(one, id)).json()).toMatchObject({ status: 'succeeded' })
})

test('a stream at one instance hears of an intent that the other moves', async () => {
  const id = await make(one)
  await control(one, 'POST', `/intents/${id}/settle`, { outcome: 'processing' })
  const changes = await openChanges(other)
  await changes.read()
  await changes.read('"intents"')
  await changes.close()
})

test('a clock set at one instance reaches the other within seconds', async () => {
  const id = await make(one)
  const answer = await control(one, 'GET', '/environments')
  const { environments } = (await answer.json()) as { environments: [{ id: string }] }
  const clock = `/environments/${environments[0].id}/clock`
  await control(one, 'PUT', clock, { offset: 25 * 3600_000 })
  await expect
    .poll(async () => await (await retrieve(other, id)).json(), { timeout: 10_000 })
    .toMatchObject({ status: 'expired' })
  await control(one, 'DELETE', clock)
})

test('a statement that runs out of time is a 504, and the same request counts once later', async () => {
  const id = await make(one)
  const key = { 'idempotency-key': 'out-of-time' }
  const db = await openPostgres(server.url)
  await db.transaction(async (tx) => {
    await tx.query`lock table payment_intents in access exclusive mode`
    const answers = Promise.all([create(one, order, key), retrieve(one, id)])
    const cancel = async () =>
      (
        await db.query`
          select pg_cancel_backend(pid) from pg_stat_activity
           where wait_event_type = 'Lock' and query like '%payment_intents%'`
      ).length
    let canceled = 0
    await expect.poll(async () => (canceled += await cancel())).toBeGreaterThanOrEqual(2)
    for (const answer of await answers) {
      expect(answer.status).toBe(504)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(await answer.json()).toMatchObject({ code: 'timeout', retryable: true })
    }
  })
  await db.close()
  expect((await create(one, order, key)).status).toBe(201)
})

test('forty requests at two instances for one key whose time is over make one intent', async () => {
  await raceForExpiredKeys([one, other])
})

test('an export taken at one instance is imported at the other, replays included', async () => {
  const key = { 'idempotency-key': 'moved-between-instances' }
  const before = await (await create(one, order, key)).text()
  const saved = (await (await control(one, 'GET', '/export')).json()) as { intents: unknown[] }
  expect((await control(one, 'POST', '/reset', {})).status).toBe(200)
  const taken = await control(other, 'POST', '/import', saved)
  expect(await taken.json()).toEqual({ imported: saved.intents.length, skipped: 0 })
  expect(await (await control(one, 'GET', '/export')).json()).toMatchObject({
    intents: saved.intents,
  })
  expect(await (await create(one, order, key)).text()).toBe(before)
})
