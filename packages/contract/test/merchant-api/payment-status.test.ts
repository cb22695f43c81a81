import { expect, test } from 'vitest'
import { isFinal, paymentIntentStatuses, phaseOf } from '../../src/merchant-api/payment-status.ts'

test('only succeeded is paid, and a status that is not known is unknown', () => {
  expect(paymentIntentStatuses.map((status) => [status, phaseOf(status)])).toEqual([
    ['requires_payment_method', 'open'],
    ['requires_action', 'open'],
    ['processing', 'processing'],
    ['succeeded', 'paid'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
    ['expired', 'failed'],
  ])
  expect(['settled', 'constructor', ''].map(phaseOf)).toEqual(['unknown', 'unknown', 'unknown'])
})

test('a status is final if its intent is paid or failed', () => {
  expect([...paymentIntentStatuses, 'settled'].filter(isFinal)).toEqual([
    'succeeded',
    'failed',
    'canceled',
    'expired',
  ])
})
