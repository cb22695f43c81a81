import { createHash } from 'node:crypto'
import { orderIdError } from '@pi-checkout/contract'
import { repeatable } from '@pi-checkout/test-support/generated'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { type CreateParams, idempotencyKey, type KeyOptions } from '../../src/index.ts'
import { clientOf, created, order } from '../scripted-service.ts'

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

const money1500 = { amount: 150000, currency: 'AMD', orderId: 'A-1001' } as const
const first = '7aa84a41-0b50-8086-aadd-b8ef3fe8ec45'
const metadata5 = { b: '2', a: '1', '\u{1f600}': 'x', '\ufb33': 'y', '\u20ac': 'z' }

/** A version that derives other keys would create a second intent for an order that an earlier one has begun. */
test.each<[string, CreateParams, KeyOptions, string]>([
  ['a minimal create', money1500, {}, first],
  ['the currency in lower case', { ...money1500, currency: 'amd' }, {}, first],
  ['null fields', { ...money1500, customer: null, metadata: null }, {}, first],
  ['a second attempt', money1500, { attempt: 2 }, 'cbe60056-8202-8e75-91c9-fb148e2b609c'],
  ['a namespace', money1500, { namespace: 'shop-2' }, 'b83322a6-66c0-8c36-8ee1-2e077b78f591'],
  ['empty metadata', { ...money1500, metadata: {} }, {}, '8a7a336d-7edb-85cf-8481-cb1dc06fd394'],
  [
    'metadata that is sorted by UTF-16 code units',
    { ...money1500, metadata: metadata5 },
    {},
    '97eeda24-4176-8c10-828a-ee372db39342',
  ],
  [
    'a customer without an email',
    { ...money1500, customer: { id: 'c1', email: null } },
    {},
    '9b768019-d83d-892c-b531-e576c918994a',
  ],
])('derives the same key in every version: %s (threat 19)', async (_, params, options, key) => {
  expect(await idempotencyKey(params, options)).toBe(key)
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
