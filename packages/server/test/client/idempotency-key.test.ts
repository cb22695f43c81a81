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

test('equal orders have the same key, regardless of spelling and field order', async () => {
  const key = await idempotencyKey({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })
  expect(key).toBe('7aa84a41-0b50-8086-aadd-b8ef3fe8ec45')
  expect(await idempotencyKey({ orderId: 'A-1001', currency: 'amd', amount: 150000 })).toBe(key)
  expect(await idempotencyKey({ ...order, customer: null, metadata: undefined })).toBe(key)
  expect(await idempotencyKey(order, { attempt: 1, namespace: '' })).toBe(key)
})

test('a change of any field, attempt, or namespace changes the key', async () => {
  const keys = await Promise.all([
    idempotencyKey(order),
    idempotencyKey({ ...order, orderId: 'A-1002' }),
    idempotencyKey({ ...order, amount: 150001 }),
    idempotencyKey({ ...order, currency: 'USD' }),
    idempotencyKey({ ...order, customer: { id: 'c1' } }),
    idempotencyKey({ ...order, customer: { id: 'c1', name: 'Ani' } }),
    idempotencyKey({ ...order, metadata: { a: 'b' } }),
    idempotencyKey({ ...order, metadata: {} }),
    idempotencyKey(order, { attempt: 2 }),
    idempotencyKey(order, { namespace: 'second-shop' }),
  ])
  expect(new Set(keys).size).toBe(keys.length)
})

test('Unicode normal forms have different keys (threat 19)', async () => {
  const composed = await idempotencyKey({ ...order, metadata: { name: '\u00e9' } })
  const decomposed = await idempotencyKey({ ...order, metadata: { name: 'e\u0301' } })
  expect(composed).not.toBe(decomposed)
})

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

for (const vector of vectors) {
  test(`matches the published vector: ${vector.name}`, async () => {
    const { attempt, namespace, hashed, body } = vector
    // The type of the JSON file is too wide.
    const params = vector.params as CreateParams
    expect(await idempotencyKey(params, { attempt, namespace })).toBe(vector.key)
    expect((await prepareCreate(params)).bytes).toBe(body)
    // The same rule, implemented as in another language.
    const digest = createHash('sha256').update(hashed).digest().subarray(0, 16)
    digest.writeUInt8((digest.readUInt8(6) % 16) + 0x80, 6)
    digest.writeUInt8((digest.readUInt8(8) % 64) + 0x80, 8)
    expect(vector.key.replaceAll('-', '')).toBe(digest.toString('hex'))
    expect(canonical({ v: 1, op: 'create', namespace, attempt, body: JSON.parse(body) })).toBe(
      hashed,
    )
  })
}

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
const call = fc
  .record({
    money,
    customer,
    metadata,
    attempt: fc.constantFrom(1, 2),
    namespace: fc.constantFrom('', 'shop-2'),
  })
  .map(({ money: fields, customer, metadata, ...options }) => ({
    params: { ...fields, customer, metadata } as CreateParams,
    options,
  }))

/** Another spelling of the same call. */
const spelling = fc.record({ lower: fc.boolean(), reversed: fc.boolean(), nulls: fc.boolean() })

test('two calls have the same key exactly if all their inputs are equal', async () => {
  const runs = Number(process.env.PI_FUZZ_RUNS ?? 2000)
  await fc.assert(
    fc.asyncProperty(call, call, async (one, two) => {
      const [a, b] = await Promise.all([
        idempotencyKey(one.params, one.options),
        idempotencyKey(two.params, two.options),
      ])
      expect(a === b).toBe(canonical(one) === canonical(two))
    }),
    repeatable(runs),
  )
  await fc.assert(
    fc.asyncProperty(call, spelling, async ({ params, options }, how) => {
      const other = respell(params, how)
      const [a, b] = await Promise.all([
        prepareCreate(params, options),
        prepareCreate(other, options),
      ])
      expect([b.key, b.bytes]).toEqual([a.key, a.bytes])
    }),
    repeatable(runs),
  )
})

function respell(
  params: CreateParams,
  { lower, reversed, nulls }: { lower: boolean; reversed: boolean; nulls: boolean },
): CreateParams {
  const spelled = {
    ...params,
    currency: lower ? params.currency.toLowerCase() : params.currency,
    customer: params.customer ?? (nulls ? null : undefined),
    metadata: params.metadata ?? (nulls ? null : undefined),
  }
  const turned = (value: object): object => Object.fromEntries(Object.entries(value).reverse())
  if (!reversed) return spelled as CreateParams
  return turned({
    ...spelled,
    customer: spelled.customer && turned(spelled.customer),
    metadata: spelled.metadata && turned(spelled.metadata),
  }) as CreateParams
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
