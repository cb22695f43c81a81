import { expect, test } from 'vitest'
import { checkoutView } from '../../src/checkout/checkout-view.ts'

const expiresAt = new Date('2026-11-20T12:10:00.000Z')
const failure = { code: 'card_declined', declineCode: null, message: 'Declined.', retryable: true }
const card = { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, funding: 'credit' }
const shown = { id: 'pi_1', version: 3, amount: 150000, currency: 'AMD', orderId: 'A-1001' }
const hidden = { customer: { id: 'c_1' }, metadata: { note: 'gift' }, secretKid: 'k1', confirms: 2 }

for (const [type, path] of [
  ['challenge', '/challenge'],
  ['redirect', '/bank'],
] as const) {
  test(`shows a ${type} with its address, and no other data of intent and environment`, () => {
    const intent = {
      ...{ ...shown, ...hidden, status: 'requires_action' },
      paymentMethod: { type: 'card', card: { ...card, fingerprint: 'x' } },
      lastPaymentFailure: failure,
      nextAction: { type, expiresAt, secret: 'x' },
    }
    const environment = { id: 'env_1', mode: 'test', merchantName: 'Ararat', idempotencySalt: 'x' }
    expect(checkoutView({ environment, intent } as never, 'https://bank.example')).toEqual({
      ...{ ...shown, status: 'requires_action', environment: 'test', merchantName: 'Ararat' },
      paymentMethod: { type: 'card', card },
      lastPaymentFailure: failure,
      nextAction: {
        type,
        expiresAt: '2026-11-20T12:10:00.000Z',
        url: `https://bank.example${path}`,
      },
    })
  })
}

test.each([null, { type: 'wallet' }])(
  'shows no card for the payment method %j',
  (paymentMethod) => {
    const intent = { ...shown, paymentMethod, lastPaymentFailure: null, nextAction: null }
    const view = checkoutView({ environment: {}, intent } as never, 'https://bank.example')
    expect(view).toMatchObject({ paymentMethod: null, nextAction: null })
  },
)
