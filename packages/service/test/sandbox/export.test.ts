import { afterAll, beforeAll, expect, test } from 'vitest'
import { control } from '../support/sandbox.ts'
import { create, order, startTestService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(async () => await service.stop())

test('the export holds every test intent with its timeline, and no secret', async () => {
  const key = { 'idempotency-key': 'exported-once' }
  const made = (await (await create(service, order, key)).json()) as { id: string }
  const answer = await control(service, 'GET', '/export')
  expect(answer.status).toBe(200)
  const text = await answer.text()
  expect(JSON.parse(text)).toMatchObject({
    version: 1,
    environments: [{ merchant: 'Demo Shop', allowedOrigins: ['http://localhost:3000'] }],
    intents: [
      {
        ...order,
        id: made.id,
        status: 'requires_payment_method',
        version: 1,
        events: [],
        attempts: [],
      },
    ],
  })
  expect(JSON.parse(text).next).toBeNull()
  for (const secret of ['_secret_', 'pi_sk_', 'exported-once']) expect(text).not.toContain(secret)
})

test('a large sandbox is exported in parts, and each can be imported again', async () => {
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<Part> =>
    (await (await control(service, method, path, body)).json()) as Part
  const { intents, ...saved } = await ask('GET', '/export')
  // As much as a merchant may put there.
  const metadata = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`key_${at}`, 'x'.repeat(500)]),
  )
  const many = Array.from({ length: 60 }, (_, at) => ({
    ...intents[0],
    id: `pi_${String(at).padStart(24, '0')}`,
    metadata,
    idempotency: null,
  }))
  for (const half of [many.slice(0, 30), many.slice(30)]) {
    const imported = await ask('POST', '/import', { ...saved, intents: half })
    expect(imported).toMatchObject({ imported: 30 })
  }

  const parts: Part[] = []
  for (let query: string | null = ''; query !== null; ) {
    const part: Part = await ask('GET', `/export${query}`)
    parts.push(part)
    query = part.next && `?after=${part.next}`
  }
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts.slice(0, -1)) expect(part.next).toBe(part.intents.at(-1)?.id)
  const ids = parts.flatMap((part) => part.intents.map(({ id }) => id))
  expect([ids.length, new Set(ids).size]).toEqual([61, 61])
  for (const part of parts) {
    const skipped = part.intents.length
    expect(await ask('POST', '/import', part)).toEqual({ imported: 0, skipped })
  }
})

interface Part {
  readonly intents: readonly { readonly id: string }[]
  readonly next: string | null
}
