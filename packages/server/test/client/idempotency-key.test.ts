import { createHash } from 'node:crypto'
import { orderIdError } from '@pi-checkout/contract'
import { repeatable } from '@pi-checkout/test-support/generated'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import published from '../../idempotency-key.vectors.json' with { type: 'json' }
import { prepareCreate } from '../../src/client/idempotency-key.ts'
import { type CreateParams, idempotencyKey } from '../../src/index.ts'
import { clientOf, created, order } from '../scripted-service.ts'

const { vectors } = published

test.each([undefined, {}, { getBuiltinModule: () => undefined }])(
  'derives the same key with Web Crypto where process is %o',
  async (process) => {
    vi.stubGlobal('process', process)
    const key = idempotencyKey(order)
    vi.unstubAllGlobals()
    expect(await key).toBe('7aa84a41-0b50-8086-aadd-b8ef3fe8ec45')
  },
)

test('rejects a malformed attempt or namespace', async () => {
  for (const attempt of [0, -1, 1.5, '2' as never]) {
    await expect(idempotencyKey(order, { attempt })).rejects.toThrow(/^attempt: must/)
  }
  for (const namespace of ['\ud800', 7 as never]) {
    await expect(idempotencyKey(order, { namespace })).rejects.toThrow(/^namespace: must/)
  }
})

test('rejects a malformed idempotency key instead of replacing it', async () => {
  const { service, intents } = await clientOf([created()])
  for (const idempotencyKey of ['', ' ', 'ключ', 'a\nb', 'x'.repeat(256), ['x'] as never]) {
    await expect(intents.create(order, { idempotencyKey })).rejects.toThrow(
      'idempotencyKey: must be a string of 1 to 255 visible ASCII characters. Omit it to derive the key.',
    )
  }
  const longest = 'x'.repeat(255)
  await intents.create(order, { idempotencyKey: longest })
  expect(service.keys()).toEqual([longest])
})

test.each(vectors)('matches the published vector: $name (threat 19)', async (vector) => {
  const { attempt, namespace, hashed, body } = vector
  // The type of the JSON file is too wide.
  const params = vector.params as CreateParams
  const prepared = await prepareCreate(params, { attempt, namespace })
  expect(prepared).toMatchObject({ key: vector.key, bytes: body })
  // The same rule, implemented as in another language.
  expect(hashed).toBe(canonical({ v: 1, op: 'create', namespace, attempt, body: JSON.parse(body) }))
  expect(vector.key).toBe(keyOf(hashed))
})

const money = fc.record({
  amount: fc.oneof(
    fc.integer({ min: 1, max: 3 }),
    fc.maxSafeInteger().filter((it) => it > 0),
  ),
  currency: fc.constantFrom('AMD', 'USD', 'EUR', 'RUB'),
  orderId: fc.oneof(
    fc.constantFrom('A', 'B'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((it) => !orderIdError(it)),
  ),
})
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter(isPlain)
const customer = fc.option(
  fc.record({
    id: fc.oneof(fc.constantFrom('c1', 'c2'), text),
    name: fc.option(text, { nil: undefined }),
    email: fc.option(fc.constantFrom('a@b', 'c@d'), { nil: undefined }),
  }),
  { nil: undefined },
)
const metadata = fc.option(
  fc.dictionary(
    fc
      .oneof(fc.constantFrom('a', 'b'), text)
      .filter((it) => !/^(__proto__|constructor|prototype)$/.test(it)),
    fc.oneof(fc.constantFrom('1', '2'), text),
    { maxKeys: 3, noNullPrototype: true },
  ),
  { nil: undefined },
)
const call = fc.record({
  money,
  customer,
  metadata,
  attempt: fc.constantFrom(1, 2),
  namespace: fc.constantFrom('', 'shop-2'),
})

test('the key of a create is the digest of all its inputs, and of nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(call, async ({ money, attempt, namespace, ...more }) => {
      const body = { ...money, ...more }
      const text = canonical({ v: 1, op: 'create', namespace, attempt, body })
      const key = await idempotencyKey(body as CreateParams, { attempt, namespace })
      expect(key).toBe(keyOf(text))
    }),
    repeatable(Number(process.env.PI_FUZZ_RUNS ?? 2000)),
  )
})

/** UUIDv8 of the text's SHA-256. */
function keyOf(text: string): string {
  const digest = createHash('sha256').update(text).digest().subarray(0, 16)
  digest.writeUInt8((digest.readUInt8(6) % 16) + 0x80, 6)
  digest.writeUInt8((digest.readUInt8(8) % 64) + 0x80, 8)
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** RFC 8785 for what occurs here: integers, strings and objects of them. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
  return `{${members.join(',')}}`
}

function isPlain(value: string): boolean {
  return value.isWellFormed() && !value.includes('\u0000')
}
