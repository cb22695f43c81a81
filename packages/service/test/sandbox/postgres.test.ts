import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { startService } from '../../src/start.ts'
import {
  startTemporaryPostgres,
  type TemporaryPostgres,
} from '../../src/torture/temporary-postgres.ts'
import { create, order, retrieve, type TestService } from '../support/service.ts'
import { control, raceForExpiredKeys } from './support.ts'

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
  const stream = await control(other, 'GET', '/events')
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()
  let heard = ''
  while (!heard.includes('"intents"')) heard += (await reader?.read())?.value ?? ''
  await reader?.cancel()
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
