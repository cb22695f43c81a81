import { afterEach, expect, test, vi } from 'vitest'
import { shop } from './shop.ts'

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['http://shop.example', /must be https/],
  [undefined, /without a path or default port/],
  [[], /received undefined/],
  [['https://shop.example', 'shop.example'], /https:\/\/shop\.example\. Set the shop/],
])('rejects the shopOrigin %j when the checkout is created', (bad, rule) => {
  const create = () => shop({ shopOrigin: bad as never })
  expect(create).toThrow(/^shopOrigin: must be.*createCheckout\(\)/)
  expect(create).toThrow(rule)
})

test('rejects the origin of the hosted checkout as shopOrigin, and names both', () => {
  for (const variable of ['https://pay.example', 'https://pay.example/']) {
    vi.stubEnv('PI_CHECKOUT_ORIGIN', variable)
    expect(() => shop({ shopOrigin: 'https://pay.example' })).toThrow(
      /^shopOrigin: is the hosted checkout's, PI_CHECKOUT_ORIGIN.*The hosted checkout's is checkoutOrigin/,
    )
  }
})
