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
])('accepts %s', (url) => {
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
])('rejects %s with the rule and an example', (url) => {
  expect(() => origin.configureCheckout({ origin: url as string })).toThrow(
    new TypeError(
      'origin: must be https, or http on loopback, without a path, such as https://pay.example',
    ),
  )
  expect(origin.checkoutOrigin()).toBeUndefined()
})

test('accepts the same origin again, and rejects another one', () => {
  origin.configureCheckout({ origin: 'https://pay.example' })
  origin.configureCheckout({ origin: 'https://pay.example' })
  expect(() => origin.configureCheckout({ origin: 'https://other.example' })).toThrow(TypeError)
  expect(origin.checkoutOrigin()).toBe('https://pay.example')
})
