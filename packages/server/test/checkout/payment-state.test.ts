import { expect, test } from 'vitest'
import { type Payment, paymentState, verify } from '../../src/index.ts'

const order = { orderId: 'A-1001', amount: 100, currency: 'AMD' } as const

function payment(attempt: number, ...changes: Partial<Payment>[]): Payment {
  return {
    intentId: `pi_${attempt}`,
    version: '100 AMD',
    attempt,
    amount: 100,
    currency: 'AMD',
    state: 'open',
    createdAt: '2026-01-01T12:00:00.000Z',
    handedAt: '2026-01-01T12:00:00.000Z',
    body: order,
    ...Object.assign({}, ...changes),
  }
}

const failed = { state: 'failed', reason: 'declined' } as const
const processing = { state: 'processing' } as const
const unknown = { state: 'unknown' } as const
const paying = { state: 'paying' } as const
const paid = { state: 'paid' } as const
const review = { state: 'review', reason: 'duplicate' } as const
const reviewing = { ...review, state: 'reviewing' } as const
const refunded = { state: 'refunded', reason: 'refunded' } as const
const earlier = { version: '50 AMD' } as const
const forgotten = { body: undefined } as const

/** Payments of an order, and what they mean for it: the phase, the attempt, and the payment it is about. */
const states: readonly [string, readonly Payment[], string][] = [
  ['no payment', [], 'open 1'],
  ['an open one', [payment(1)], 'open 1 pi_1'],
  ['two open ones', [payment(2), payment(1)], 'open 2 pi_2'],
  ['an open one of an earlier version', [payment(1, earlier)], 'open 2'],
  ['an open one whose key names another intent', [payment(1, forgotten)], 'open 2'],
  ['a failed one', [payment(1, failed)], 'failed 2 pi_1'],
  ['a failed one and an open one', [payment(1, failed), payment(2)], 'open 2 pi_2'],
  ['a failed one of an earlier version', [payment(1, failed, earlier)], 'open 2'],
  ['one that is processing', [payment(1, processing)], 'processing 2 pi_1'],
  [
    'an earlier one that is processing',
    [payment(1, processing, earlier), payment(2)],
    'processing 3 pi_1',
  ],
  ['one with an unknown status', [payment(1, unknown), payment(2)], 'unknown 3 pi_1'],
  [
    'one with an unknown status and one that is processing',
    [payment(1, unknown), payment(2, processing)],
    'processing 3 pi_2',
  ],
  ['a paid one whose hook has not returned', [payment(1, paying)], 'processing 2 pi_1'],
  ['a paid one', [payment(1, paid)], 'paid 2 pi_1'],
  ['a paid one of an earlier version', [payment(1, paid, earlier)], 'paid 2 pi_1'],
  [
    'a paid one and one that is processing',
    [payment(1, processing), payment(2, paid)],
    'paid 3 pi_2',
  ],
  ['a paid one and a duplicate', [payment(1, paid), payment(2, review)], 'paid 3 pi_1'],
  ['one under review', [payment(1, review), payment(2)], 'review 3 pi_1'],
  ['one whose review is not reported yet', [payment(1, reviewing)], 'review 2 pi_1'],
  ['a refunded one', [payment(1, refunded)], 'failed 2 pi_1'],
  ['a refunded one and an open one', [payment(1, refunded), payment(2)], 'open 2 pi_2'],
]

test.each(states)('an order with %s', (_, payments, expected) => {
  const { phase, attempt, payment: about, reason } = paymentState(order, { payments })
  expect([phase, attempt, about?.intentId].filter(Boolean).join(' ')).toBe(expected)
  const reasons: Record<string, unknown> = { failed: payments.at(-1)?.reason, review: 'duplicate' }
  expect(reason).toBe(reasons[phase])
})

test.each([
  ['amount', { amount: 200 }],
  ['currency', { currency: 'USD' }],
  ['metadata', { metadata: { size: 'L' } }],
  ['own version', { version: '2' }],
] as const)('a changed %s is another version', (_, change) => {
  const state = paymentState({ ...order, ...change }, { payments: [payment(1)] })
  expect(state).toEqual({ phase: 'open', attempt: 2 })
})

test.each([
  ['customer', { customer: { id: 'c-1', email: 'ani@example.com' } }],
  ['case of the currency', { currency: 'amd' }],
  ['empty metadata', { metadata: {} }],
] as const)('a changed %s is no other version', (_, change) => {
  const state = paymentState({ ...order, ...change }, { payments: [payment(1)] })
  expect(state.payment?.intentId).toBe('pi_1')
})

test.each([
  [{}, 'paid'],
  [{ currency: 'amd' }, 'paid'],
  [{ id: 'pi_2' }, 'mismatch'],
  [{ orderId: 'B-2' }, 'mismatch'],
  [{ amount: 101 }, 'mismatch'],
  [{ currency: 'USD' }, 'mismatch'],
])('a paid intent whose order has %o is %s', (change, verdict) => {
  const expected = { id: 'pi_1', ...order, ...change }
  expect(verify({ id: 'pi_1', ...order, status: 'succeeded' }, expected)).toBe(verdict)
})
