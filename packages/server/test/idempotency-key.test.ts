import { expect, test } from 'vitest'
import { idempotencyKey } from '../src/index.ts'
import { order } from './scripted-service.ts'

test('the same order and body give the same key in any process, spelling or field order', async () => {
  const key = await idempotencyKey({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })
  expect(key).toBe('7aa84a41-0b50-8086-aadd-b8ef3fe8ec45')
  expect(await idempotencyKey({ orderId: 'A-1001', currency: 'amd', amount: 150000 })).toBe(key)
  expect(await idempotencyKey({ ...order, customer: null, metadata: undefined })).toBe(key)
  expect(await idempotencyKey(order, { attempt: 1, namespace: '' })).toBe(key)
})

test('another order, amount, currency, customer, metadata, attempt or namespace gives another key', async () => {
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

test('Unicode normal forms are different texts, hence different keys', async () => {
  const composed = await idempotencyKey({ ...order, metadata: { name: '\u00e9' } })
  const decomposed = await idempotencyKey({ ...order, metadata: { name: 'e\u0301' } })
  expect(composed).not.toBe(decomposed)
})

test('an attempt or namespace that is none is refused', async () => {
  for (const attempt of [0, -1, 1.5, '2' as never]) {
    await expect(idempotencyKey(order, { attempt })).rejects.toThrow(/^attempt: must/)
  }
  await expect(idempotencyKey(order, { namespace: '\ud800' })).rejects.toThrow(/^namespace: must/)
})
