import { expect, test, vi } from 'vitest'
import { type KeyOptions, prepareCreate } from '../../src/client/idempotency-key.ts'
import type { CreateParams } from '../../src/index.ts'
import { order } from '../scripted-service.ts'

const first = '7aa84a41-0b50-8086-aadd-b8ef3fe8ec45'

/** A version that derives other keys would create a second intent for an order that an earlier one has begun. */
test.each<[string, string, Partial<CreateParams>, KeyOptions?]>([
  ['a minimal create', first, {}],
  ['the currency in lower case', first, { currency: 'amd' }],
  ['null fields', first, { customer: null, metadata: null }],
  ['a second attempt', 'cbe60056-8202-8e75-91c9-fb148e2b609c', {}, { attempt: 2 }],
  ['a namespace', 'b83322a6-66c0-8c36-8ee1-2e077b78f591', {}, { namespace: 'shop-2' }],
  ['another amount', '2b77d1a1-6570-8c35-9147-04f3b76576ad', { amount: 150001 }],
  ['another currency', '058a78a8-5c3d-8bb5-ae55-67cc59069a3a', { currency: 'USD' }],
  ['another order', '714a2630-51b4-8586-b1eb-3a981ab36453', { orderId: 'Ա "1" \\' }],
  ['empty metadata', '8a7a336d-7edb-85cf-8481-cb1dc06fd394', { metadata: {} }],
  [
    'metadata that is sorted by UTF-16 code units',
    '97eeda24-4176-8c10-828a-ee372db39342',
    { metadata: { b: '2', a: '1', '\u{1f600}': 'x', '\ufb33': 'y', '\u20ac': 'z' } },
  ],
  [
    'a customer without an email',
    '9b768019-d83d-892c-b531-e576c918994a',
    { customer: { id: 'c1', email: null } },
  ],
  [
    'a customer',
    '4d24e605-e1c3-860c-886f-dee065e1b652',
    { customer: { id: 'c1', email: 'a@b', name: 'Ani' } },
  ],
])('derives the same key in every version: %s', async (_, key, changes, options) => {
  expect(await prepareCreate({ ...order, ...changes }, options)).toMatchObject({ key })
})

test.each([undefined, {}, { getBuiltinModule: () => undefined }])(
  'derives the same key with Web Crypto where process is %o',
  async (process) => {
    vi.stubGlobal('process', process)
    const prepared = prepareCreate(order)
    vi.unstubAllGlobals()
    expect(await prepared).toMatchObject({ key: first })
  },
)
