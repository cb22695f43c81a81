// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { PiCheckout } from '../src/checkout-element.ts'
import { configureCheckout, defineCheckout, registerDefaultTag } from '../src/define-checkout.ts'
import { originOf } from '../src/origin.ts'

let count = 0
const newTag = (): string => `shop-checkout-${count++}`
const pay = 'https://pay.example'
const other = 'https://other.example'

test.each([
  pay,
  'https://pay.example:8443',
  'http://127.0.0.1:4000',
  'http://[::1]:4000',
  'http://localhost',
  'http://pay.localhost:4000',
])('accepts %s', (checkoutOrigin) => {
  const tag = newTag()
  defineCheckout({ tag, checkoutOrigin })
  const type = customElements.get(tag)
  expect(type && originOf(type)).toBe(checkoutOrigin)
  expect(document.createElement(tag)).toBeInstanceOf(PiCheckout)
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
  const tag = newTag()
  const checkoutOrigin = url as string
  const rule =
    'checkoutOrigin: must be https, or http on loopback, without a path, such as https://pay.example'
  expect(() => defineCheckout({ tag, checkoutOrigin })).toThrow(new TypeError(rule))
  expect(() => configureCheckout({ checkoutOrigin })).toThrow(new TypeError(rule))
  expect(customElements.get(tag)).toBeUndefined()
})

test('accepts the same origin of a tag again, and rejects another one', () => {
  const tag = newTag()
  for (const checkoutOrigin of [pay, pay]) defineCheckout({ tag, checkoutOrigin })
  expect(() => defineCheckout({ tag, checkoutOrigin: other })).toThrow(
    new TypeError(`checkoutOrigin: the tag already has ${pay}. Define another tag`),
  )
})

test('gives each tag its own origin, and configures the default tag before its definition', async () => {
  configureCheckout({ checkoutOrigin: pay })
  const tag = newTag()
  defineCheckout({ tag, checkoutOrigin: other })
  await import('../src/define.ts')
  const origins = ['pi-checkout', tag].map((name) => originOf(customElements.get(name) as never))
  expect(origins).toEqual([pay, other])
  expect(() => configureCheckout({ checkoutOrigin: other })).toThrow(TypeError)
})

test('passes its origin to another copy that has registered the default tag', async () => {
  vi.resetModules()
  const { PiCheckout: Registered } = await import('../src/checkout-element.ts')
  vi.stubGlobal('customElements', { get: () => Registered })
  registerDefaultTag()
  expect(originOf(Registered)).toBe(pay)
  vi.unstubAllGlobals()
})

test('rejects a tag that is no name, or belongs to another element', () => {
  customElements.define('other-element', class extends HTMLElement {})
  const define = (tag: string) => () => defineCheckout({ tag, checkoutOrigin: pay })
  expect(define('Acme')).toThrow(
    new TypeError('tag: must be lower case with a dash, such as acme-checkout; received "Acme"'),
  )
  expect(define('other-element')).toThrow(
    new TypeError('tag: <other-element> is registered by another element. Define another tag'),
  )
})

test('rejects the origin of the shop, and the types do too', () => {
  // @ts-expect-error Swapped origins.
  expect(() => defineCheckout({ shopOrigin: pay })).toThrow(TypeError)
  // @ts-expect-error Swapped origins.
  expect(() => configureCheckout({ shopOrigin: pay })).toThrow(TypeError)
})
