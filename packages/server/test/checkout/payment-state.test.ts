import { expect, test } from 'vitest'
import { verify } from '../../src/checkout/payment-state.ts'
import { type Payment, paymentState } from '../../src/index.ts'

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

/** A payment from `state`, or `state of` an earlier version. */
function paymentOf(text: string, index: number): Payment {
  const [state, earlier] = text.split(' of ')
  const reason = state === 'failed' ? 'declined' : 'duplicate'
  return payment(
    index + 1,
    { state: state as Payment['state'], reason },
    earlier ? { version: earlier } : {},
  )
}

test.each([
  ['', 'open 1'],
  ['open', 'open 1 pi_1'],
  ['open, open', 'open 2 pi_2'],
  ['open of 50 AMD', 'open 2'],
  ['failed', 'failed 2 pi_1 declined'],
  ['failed, open', 'open 2 pi_2'],
  ['failed of 50 AMD', 'open 2'],
  ['processing', 'processing 2 pi_1'],
  ['processing of 50 AMD, open', 'processing 3 pi_1'],
  ['unknown, open', 'unknown 3 pi_1'],
  ['unknown, processing', 'processing 3 pi_2'],
  ['paying', 'processing 2 pi_1'],
  ['paid', 'paid 2 pi_1'],
  ['paid of 50 AMD', 'paid 2 pi_1'],
  ['processing, paid', 'paid 3 pi_2'],
  ['paid, review', 'paid 3 pi_1'],
  ['review, open', 'review 3 pi_1 duplicate'],
  ['reviewing', 'review 2 pi_1 duplicate'],
  ['refunded', 'failed 2 pi_1 duplicate'],
  ['refunded, open', 'open 2 pi_2'],
])('an order whose payments are "%s" is %s', (states, expected) => {
  const payments = states.split(', ').filter(Boolean).map(paymentOf)
  // The order of the stored payments does not matter.
  const state = paymentState(order, payments.reverse())
  const { phase, attempt, payment: about, reason } = state
  expect([phase, attempt, about?.intentId, reason].filter(Boolean).join(' ')).toBe(expected)
})

test.each([
  ['amount', { amount: 200 }],
  ['currency', { currency: 'USD' }],
  ['metadata', { metadata: { size: 'L' } }],
  ['own version', { version: '2' }],
] as const)('a changed %s is another version', (_, change) => {
  const state = paymentState({ ...order, ...change }, [payment(1)])
  expect(state).toEqual({ phase: 'open', attempt: 2 })
})

test.each([
  ['customer', { customer: { id: 'c-1', email: 'ani@example.com' } }],
  ['case of the currency', { currency: 'amd' }],
  ['empty metadata', { metadata: {} }],
] as const)('a changed %s is no other version', (_, change) => {
  const state = paymentState({ ...order, ...change }, [payment(1)])
  expect(state.payment?.intentId).toBe('pi_1')
})

test.each([
  [{}, 'paid'],
  [{ id: 'pi_2' }, 'mismatch'],
  [{ orderId: 'B-2' }, 'mismatch'],
  [{ amount: 101 }, 'mismatch'],
  [{ currency: 'USD' }, 'mismatch'],
])('a succeeded intent with %o is %s', (change, verdict) => {
  const intent = { id: 'pi_1', ...order, status: 'succeeded', ...change }
  expect(verify(intent, order.orderId, payment(1))).toBe(verdict)
})
