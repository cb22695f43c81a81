import { expect, test } from 'vitest'
import { checkedDue, checkedRecord } from '../../src/checkout/checked-record.ts'
import type { PaymentRecord } from '../../src/checkout/payment-record.ts'

const asked = { scope: 'shop test', orderId: 'A-1001' }
const payment = {
  intentId: 'pi_1',
  version: '150000 AMD',
  attempt: 1,
  amount: 150000,
  currency: 'AMD',
  state: 'open',
  createdAt: '2026-01-01T12:00:00.000Z',
  handedAt: '2026-01-01T12:00:00.000Z',
} as const
const record: PaymentRecord = { ...asked, revision: 1, checkAt: new Date(0), payments: [payment] }

test('returns a record that is complete, with the names that it does not know', () => {
  for (const stored of [
    record,
    { ...record, checkAt: null, payments: [] },
    { ...record, payments: [{ ...payment, reason: undefined, later: { cart_id: null } }] },
  ]) {
    expect(checkedRecord(stored, asked)).toBe(stored)
  }
})

const { orderId: _, ...withoutOrder } = record
const { intentId: __, ...withoutId } = payment
test.each<[field: string, stored: unknown]>([
  ['an object', null],
  ['an object', [record]],
  ['an object', JSON.stringify(record)],
  ['scope', { ...record, scope: 'shop live' }],
  ['orderId', { ...withoutOrder, order_id: 'A-1001' }],
  ['orderId', { ...record, orderId: 'a-1001' }],
  ['revision', { ...record, revision: '1' }],
  ['revision', { ...record, revision: 0 }],
  ['checkAt', { ...record, checkAt: '2026-01-01T12:00:00.000Z' }],
  ['checkAt', { ...record, checkAt: undefined }],
  ['checkAt', { ...record, checkAt: new Date(Number.NaN) }],
  ['payments', { ...record, payments: '[]' }],
  ['each payment', { ...record, payments: [null] }],
  ['intentId', { ...record, payments: [payment, { ...withoutId, intent_id: 'pi_1' }] }],
  ['state', { ...record, payments: [{ ...payment, state: '' }] }],
  ['handedAt', { ...record, payments: [{ ...payment, handedAt: new Date(0) }] }],
  ['attempt', { ...record, payments: [{ ...payment, attempt: '1' }] }],
  ['amount', { ...record, payments: [{ ...payment, amount: 150000n }] }],
  ['amount', { ...record, payments: [{ ...payment, amount: 2 ** 53 }] }],
  ['absent', { ...record, payments: [{ ...payment, leaseUntil: null }] }],
])('rejects a record whose %s a store changed, without its values', (field, stored) => {
  const rule = new RegExp(`^payments\\.load: .*${field}.*; received .*\\. Return`)
  expect(() => checkedRecord(stored, asked)).toThrow(rule)
  expect(() => checkedRecord(stored, asked)).toThrow(TypeError)
  expect(() => checkedRecord(stored, asked)).not.toThrow(/A-1001|pi_1|2026|150000/i)
})

test('returns order ids, and rejects anything else', () => {
  expect(checkedDue(['A-1001'])).toEqual(['A-1001'])
  for (const ids of [
    undefined,
    { rows: [] },
    'A-1001',
    [undefined],
    ['A-1001', 7],
    [''],
    [{ id: 'A' }],
  ]) {
    expect(() => checkedDue(ids)).toThrow(/^payments\.due: .*must .*; received .*\. Return/)
  }
})
