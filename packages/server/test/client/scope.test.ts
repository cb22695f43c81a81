import { sampleKey } from '@pi-checkout/test-support/api-key'
import { expect, test } from 'vitest'
import { memoryPayments, PaymentIntents, type PaymentIntentsOptions } from '../../src/index.ts'
import { movableClock, shop } from '../checkout/shop.ts'
import { apiKey as otherKey } from '../scripted-service.ts'

const ours = sampleKey('a', { environment: 'Ararat' })

function scopeOf(options: PaymentIntentsOptions): string {
  return new PaymentIntents({ apiKey: ours, baseUrl: 'https://pay.example', ...options }).scope()
}

test.each(['http://localhost:4000', 'http://127.0.0.1:4000', 'https://pay.example/v1/'])(
  'is the environment that the key names, not the address %s',
  (baseUrl) => {
    expect(scopeOf({ baseUrl })).toBe('test AraratAraratArar')
  },
)

test('stays the same after the key was rotated', () => {
  expect(scopeOf({ apiKey: sampleKey('b', { environment: 'Ararat' }) })).toBe(scopeOf({}))
})

test('differs between environments and namespaces of one service', () => {
  const scopes = [
    scopeOf({}),
    scopeOf({ apiKey: sampleKey('a', { environment: 'Ararat', mode: 'live' }) }),
    scopeOf({ apiKey: sampleKey('a', { environment: 'Sevan' }) }),
    scopeOf({ namespace: 'books' }),
    scopeOf({ namespace: 'books ' }),
    scopeOf({ apiKey: otherKey, namespace: 'books' }),
    scopeOf({ apiKey: otherKey, namespace: 'books live' }),
    scopeOf({ apiKey: otherKey, namespace: scopeOf({}) }),
    scopeOf({ apiKey: otherKey, namespace: scopeOf({ namespace: 'books' }) }),
  ]
  expect(new Set(scopes).size).toBe(scopes.length)
})

test.each([undefined, ''])(
  'requires a namespace for a key of another form, not %j',
  (namespace) => {
    const rule = /names no environment\. .* separates the payments of merchants .* 'acme live'/
    const error = {
      name: 'ConfigurationError',
      field: 'namespace',
      message: expect.stringMatching(rule),
    }
    expect(() => scopeOf({ apiKey: otherKey, namespace })).toThrow(expect.objectContaining(error))
  },
)

test('keeps merchants with one store and the same order ids apart (finding M15)', async () => {
  const { move } = movableClock()
  const payments = memoryPayments()
  const [first, second] = [shop({ payments }), shop({ payments })]
  const id = await first.intent()
  first.service.settle(id, 'succeeded')
  expect([await first.phase(), await second.phase()]).toEqual(['paid', 'open'])
  const closedTab = await second.intent()
  second.service.settle(closedTab, 'succeeded')
  move(2 * 60_000)
  for (const { checkout } of [first, second]) await checkout.reconcile()
  expect([first.paid, second.paid]).toEqual([[id], [closedTab]])
})
