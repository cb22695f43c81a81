import { beforeEach, expect, test, vi } from 'vitest'

let origin: typeof import('../src/origin.ts')

beforeEach(async () => {
  vi.resetModules()
  origin = await import('../src/origin.ts')
})

test.each([
  'https://pay.example',
  'https://pay.example:8443',
  'http://127.0.0.1:4000',
  'http://[::1]:4000',
  'http://localhost',
  'http://pay.localhost:4000',
])('%s is taken as the origin of a checkout', (url) => {
  origin.configureCheckout({ origin: url })
  expect(origin.checkoutOrigin()).toBe(url)
})

test.each([
  'https://pay.example/',
  'https://pay.example/checkout',
  'https://pay.example?x',
  'https://user@pay.example',
  'https://pay.example:443',
  'HTTPS://pay.example',
  'http://pay.example',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'javascript:alert(1)',
  'null',
  'pay.example',
  '',
  undefined,
  null,
  42,
])('%s is refused, with the rule and an example', (url) => {
  expect(() => origin.configureCheckout({ origin: url as string })).toThrow(
    new TypeError(
      'origin: must be exactly an origin, https or http on loopback, such as https://pay.example',
    ),
  )
  expect(origin.checkoutOrigin()).toBeUndefined()
})

test('the same origin again has no effect; another one is refused', () => {
  origin.configureCheckout({ origin: 'https://pay.example' })
  origin.configureCheckout({ origin: 'https://pay.example' })
  expect(() => origin.configureCheckout({ origin: 'https://other.example' })).toThrow(TypeError)
  expect(origin.checkoutOrigin()).toBe('https://pay.example')
})
