import { expect, test } from 'vitest'
import { serializeCreated, serializeIntent } from '../../src/intents/serialize.ts'

const createdAt = new Date('2026-11-20T12:00:00.000Z')
const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' } as const
const customer = { id: 'c_1', name: 'Ani' }
const metadata = { cart: '7' }
const unpaid = {
  status: 'requires_payment_method',
  paymentMethod: null,
  lastPaymentFailure: null,
  nextAction: null,
  providerPaymentId: null,
  createdAt: '2026-11-20T12:00:00.000Z',
}

test.each([
  [body, { customer: null, metadata: null }],
  [
    { ...body, customer, metadata },
    { customer, metadata },
  ],
])('a create returns the sent fields, null for others, and the secret', (sent, optional) => {
  expect(serializeCreated({ id: 'pi_1', body: sent, createdAt }, 'pi_1_secret_x')).toEqual({
    ...{ ...body, ...optional, ...unpaid, id: 'pi_1', clientSecret: 'pi_1_secret_x' },
    updatedAt: '2026-11-20T12:00:00.000Z',
  })
})

test('a retrieve returns no secret, and no address of a challenge', () => {
  const expiresAt = new Date('2026-11-20T12:10:00.000Z')
  const stored = { secretKid: 'k1', secretSalt: Buffer.alloc(16), version: 7, confirms: 1 }
  const paid = {
    ...{ id: 'pi_1', ...body, customer, metadata, status: 'requires_action' },
    paymentMethod: { type: 'card', card: { last4: '4242' } },
    lastPaymentFailure: { code: 'card_declined' },
    providerPaymentId: 'sim_1',
  }
  const intent = {
    ...{ ...paid, ...stored, createdAt, updatedAt: expiresAt },
    nextAction: { type: 'challenge', expiresAt, url: 'https://bank.example' },
  }
  expect(serializeIntent(intent as never)).toEqual({
    ...{ ...paid, createdAt: '2026-11-20T12:00:00.000Z', updatedAt: '2026-11-20T12:10:00.000Z' },
    nextAction: { type: 'challenge', expiresAt: '2026-11-20T12:10:00.000Z' },
  })
  const none = { ...intent, customer: null, nextAction: null }
  expect(serializeIntent(none as never)).toMatchObject({ customer: null, nextAction: null })
})
