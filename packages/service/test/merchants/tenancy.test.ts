import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendAdminCommand } from '../../src/cli/admin-socket.ts'
import { control, environmentId } from '../support/sandbox.ts'
import { create, order, retrieve, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let data: string
let owners: readonly { readonly url: string; readonly apiKey: string }[]

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'pi-service-tenancy-'))
  service = await startTestService({ PI_DATA_DIR: data })
  const names = ['First', 'Second'].flatMap((merchant) =>
    (['test', 'live'] as const).map((environment) => ({ merchant, environment })),
  )
  owners = await Promise.all(names.map(newKey))
})

afterAll(async () => {
  await service.stop()
  await rm(data, { recursive: true })
})

async function newKey(name: {
  merchant: string
  environment: 'test' | 'live'
}): Promise<{ url: string; apiKey: string }> {
  const made = await sendAdminCommand(data, { command: 'keys create', ...name })
  if (!made || !('apiKey' in made)) throw new Error('no key')
  return { url: service.url, apiKey: made.apiKey }
}

test('returns an intent to its own environment only (threat 8)', async () => {
  const ids = await Promise.all(
    owners.map(async (owner) => ((await (await create(owner)).json()) as { id: string }).id),
  )
  const bodies = new Set<string>()
  for (const [at, owner] of owners.entries()) {
    for (const [of, id] of [...ids, 'pi_000000000000000000000000'].entries()) {
      const answer = await retrieve(owner, id)
      expect(answer.status).toBe(at === of ? 200 : 404)
      const text = (await answer.text()).replace(/req_\w+/, '')
      if (at !== of) bodies.add(`${[...answer.headers.keys()]} ${text}`)
    }
  }
  expect(bodies.size).toBe(1)
})

test('the same key and body in four environments make four intents', async () => {
  const key = { 'idempotency-key': 'shared' }
  const texts = await Promise.all(
    owners.map(async (owner) => {
      const answer = await create(owner, order, key)
      expect(answer.headers.get('idempotent-replayed')).toBeNull()
      return ((await answer.json()) as { id: string }).id
    }),
  )
  expect(new Set(texts).size).toBe(4)
})

test('another key of the same environment replays: a rotation breaks no retry', async () => {
  const key = { 'idempotency-key': 'over-rotation' }
  const next = await newKey({ merchant: 'First', environment: 'test' })
  const first = await create(owners[0] ?? next, order, key)
  expect(await (await create(next, order, key)).text()).toBe(await first.text())
})

test('a live environment knows no faults', async () => {
  const [, live = { url: '', apiKey: '' }] = owners
  for (const fault of ['drop-after-commit', '500', 'unheard-of']) {
    expect((await create(live, order, { 'sandbox-fault': fault })).status).toBe(201)
  }
  const path = `/environments/${await environmentId(service, 'First')}/faults`
  expect((await control(service, 'POST', path, { on: 'create', do: '503' })).status).toBe(201)
  expect((await create(live)).status).toBe(201)
})

test('a clientSecret is no API key, and an API key opens no intent', async () => {
  const { clientSecret } = (await (await create(service)).json()) as { clientSecret: string }
  expect((await create({ ...service, apiKey: clientSecret })).status).toBe(401)
  expect((await retrieve(service, service.apiKey)).status).toBe(404)
})
