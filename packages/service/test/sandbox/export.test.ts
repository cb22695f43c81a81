import { afterAll, beforeAll, expect, test } from 'vitest'
import { create, order, startTestService, type TestService } from '../support/service.ts'
import { control } from './support.ts'

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
  const many = Array.from({ length: 700 }, (_, at) => ({
    ...intents[0],
    id: `pi_${String(at).padStart(24, '0')}`,
    metadata,
    idempotency: null,
  }))
  expect(await ask('POST', '/import', { ...saved, intents: many })).toMatchObject({ imported: 700 })

  const first = await ask('GET', '/export')
  expect(first.next).toBe(first.intents.at(-1)?.id)
  const second = await ask('GET', `/export?after=${first.next}`)
  expect(second.next).toBeNull()
  const ids = [...first.intents, ...second.intents].map(({ id }) => id)
  expect(new Set(ids).size).toBe(701)
  expect(await ask('POST', '/import', second)).toEqual({
    imported: 0,
    skipped: second.intents.length,
  })
})

interface Part {
  readonly intents: readonly { readonly id: string }[]
  readonly next: string | null
}
