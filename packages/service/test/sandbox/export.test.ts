import { beforeEach, expect, test } from 'vitest'
import { control } from '../support/sandbox.ts'
import { create, created, isReplay, order, retrieve, startTestService } from '../support/service.ts'

const service = await startTestService()
const key = { 'idempotency-key': 'exported-once' }

beforeEach(async () => {
  await control(service, 'POST', '/reset', {})
})

interface Part {
  readonly environments: readonly object[]
  readonly intents: readonly { readonly id: string }[]
  readonly next: string | null
}

async function exported(query = ''): Promise<Part> {
  return (await (await control(service, 'GET', `/export${query}`)).json()) as Part
}

async function imported(saved: unknown, to = service): Promise<unknown> {
  return await (await control(to, 'POST', '/import', saved)).json()
}

test('exports every test intent with its timeline and without a secret', async () => {
  const { id } = await created(service, order, key)
  const text = await (await control(service, 'GET', '/export')).text()
  expect(JSON.parse(text)).toMatchObject({
    version: 1,
    environments: [{ merchant: 'Tsiran', allowedOrigins: ['http://localhost:3000'] }],
    intents: [
      { ...order, id, status: 'requires_payment_method', version: 1, events: [], attempts: [] },
    ],
    next: null,
  })
  for (const secret of ['_secret_', 'pi_sk_', 'exported-once']) expect(text).not.toContain(secret)
})

test('imports intents, timelines, secrets, and replays after a reset', async () => {
  const before = await (await create(service, order, key)).text()
  const { id } = await created(service)
  await control(service, 'POST', `/intents/${id}/settle`, { outcome: 'succeeded' })
  const saved = await exported()
  const reset = await control(service, 'POST', '/reset', {})
  expect(await reset.json()).toEqual({ deleted: 2 })
  expect((await exported()).intents).toEqual([])
  expect(await imported(saved)).toEqual({ imported: 2, skipped: 0 })
  expect((await exported()).intents).toEqual(saved.intents)
  const replay = await create(service, order, key)
  expect([isReplay(replay), await replay.text()]).toEqual([true, before])
  expect(await imported(saved)).toEqual({ imported: 0, skipped: 2 })
})

test('gives an intent of another service a new secret and no replay', async () => {
  const { clientSecret: _, ...shown } = await created(service, order, key)
  const other = await startTestService()
  expect(await imported(await exported(), other)).toEqual({ imported: 1, skipped: 0 })
  expect(await (await retrieve(other, shown.id)).json()).toEqual(shown)
  expect(isReplay(await create(other, order, key))).toBe(false)
})

test.each([
  [{ status: 'succeeded' }, 'final_time'],
  [{ amount: 0 }, 'intents.0'],
  [{ extra: 1 }, 'intents.0'],
  [{ environment: 'env_unknown' }, 'is not in "environments"'],
  [{ paymentMethod: { type: 'card', card: { brand: 'a\0' } } }, 'paymentMethod'],
  [{ paymentMethod: { type: 'card', card: { last4: '\ud800' } } }, 'paymentMethod'],
] as const)('imports nothing from an export with %j', async (change, detail) => {
  await created(service)
  const saved = await exported()
  await control(service, 'POST', '/reset', {})
  const broken = { ...saved, intents: [{ ...saved.intents[0], ...change }] }
  expect(await imported(broken)).toMatchObject({
    code: 'validation_failed',
    detail: expect.stringContaining(detail),
  })
  expect((await exported()).intents).toEqual([])
})

test('rejects a merchant name that the store cannot contain', async () => {
  const saved = await exported()
  const environments = saved.environments.map((each) => ({ ...each, merchant: 'a\0' }))
  expect(await imported({ ...saved, environments })).toMatchObject({
    detail: expect.stringContaining('environments.0.merchant is invalid'),
  })
})

test('exports a large sandbox in parts that can be imported', async () => {
  await created(service)
  const { intents, ...saved } = await exported()
  // As much as a merchant may store there.
  const metadata = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`key_${index}`, 'x'.repeat(500)]),
  )
  const many = Array.from({ length: 60 }, (_, index) => ({
    ...intents[0],
    id: `pi_${String(index).padStart(24, '0')}`,
    metadata,
    idempotency: null,
  }))
  for (const half of [many.slice(0, 30), many.slice(30)]) {
    expect(await imported({ ...saved, intents: half })).toMatchObject({ imported: 30 })
  }

  const ids: string[] = []
  let parts = 0
  for (let query: string | null = ''; query !== null; parts++) {
    const part: Part = await exported(query)
    const found = part.intents.map(({ id }) => id)
    ids.push(...found)
    expect([found.at(-1), null]).toContain(part.next)
    query = part.next && `?after=${part.next}`
    expect(await imported(part)).toEqual({ imported: 0, skipped: found.length })
  }
  expect(parts).toBeGreaterThan(2)
  expect([ids.length, new Set(ids).size]).toEqual([61, 61])
})
