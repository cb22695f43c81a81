// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { appearanceOf } from '../src/appearance.ts'
import { PiCheckout } from '../src/checkout-element.ts'
import { configureCheckout, defineCheckout, registerDefaultTag } from '../src/define-checkout.ts'
import { originOf } from '../src/origin.ts'

let count = 0
const newTag = (): string => `shop-checkout-${count++}`
const pay = 'https://pay.example'
const other = 'https://other.example'
const warm = { accent: '#ad4318' } as const
const cold = { accent: '#1844ad' } as const

test('registers a tag for an origin', () => {
  const tag = newTag()
  defineCheckout({ tag, checkoutOrigin: pay })
  const type = customElements.get(tag)
  expect(type && originOf(type)).toBe(pay)
  expect(document.createElement(tag)).toBeInstanceOf(PiCheckout)
})

test.each(['https://pay.example/', 'http://pay.example', '', undefined])(
  'rejects %s with the rule and an example',
  (url) => {
    const tag = newTag()
    const checkoutOrigin = url as string
    const rule =
      'checkoutOrigin: must be https, or http on loopback, without a path, such as https://pay.example'
    expect(() => defineCheckout({ tag, checkoutOrigin })).toThrow(new TypeError(rule))
    expect(() => configureCheckout({ checkoutOrigin })).toThrow(new TypeError(rule))
    expect(customElements.get(tag)).toBeUndefined()
  },
)

test('accepts the same origin of a tag again, and rejects another one', () => {
  const tag = newTag()
  for (const checkoutOrigin of [pay, pay]) defineCheckout({ tag, checkoutOrigin })
  expect(() => defineCheckout({ tag, checkoutOrigin: other })).toThrow(
    new TypeError(`checkoutOrigin: the tag already has ${pay}. Define another tag`),
  )
})

test('gives each tag its origin and look, and configures the default tag before its definition', async () => {
  configureCheckout({ checkoutOrigin: pay, appearance: cold })
  configureCheckout({ appearance: warm })
  const tag = newTag()
  defineCheckout({ tag, checkoutOrigin: other, appearance: cold })
  defineCheckout({ tag, checkoutOrigin: other })
  await import('../src/define.ts')
  const types = ['pi-checkout', tag].map((name) => customElements.get(name) as typeof PiCheckout)
  expect(types.map(originOf)).toEqual([pay, other])
  expect(types.map(appearanceOf)).toEqual([warm, cold])
  expect(() => configureCheckout({ checkoutOrigin: other })).toThrow(TypeError)
})

test('passes its origin and look to another copy that has registered the default tag', async () => {
  vi.resetModules()
  const copy = await import('../src/define-checkout.ts')
  const { PiCheckout: Registered } = await import('../src/checkout-element.ts')
  const get = vi.fn(() => PiCheckout)
  vi.stubGlobal('customElements', { get })
  // The copy has no origin.
  copy.registerDefaultTag()
  get.mockReturnValue(Registered as never)
  registerDefaultTag()
  // Copies of other versions read these symbols.
  const symbols = ['pi-checkout.origin', 'pi-checkout.appearance'].map(Symbol.for)
  for (const type of [PiCheckout, Registered]) {
    expect(symbols.map((symbol) => Reflect.get(type, symbol))).toEqual([pay, warm])
  }
  vi.unstubAllGlobals()
})

test('registers the default tag with its class, and no tag on a server', () => {
  const define = vi.fn()
  vi.stubGlobal('customElements', { get: () => undefined, define })
  defineCheckout({ checkoutOrigin: pay })
  registerDefaultTag()
  expect(define.mock.calls).toEqual(Array(2).fill(['pi-checkout', PiCheckout]))
  vi.stubGlobal('customElements', undefined)
  defineCheckout({ checkoutOrigin: pay })
  registerDefaultTag()
  vi.unstubAllGlobals()
})

test('rejects a tag that is no name, or belongs to another element', () => {
  customElements.define('other-element', class extends HTMLElement {})
  const define = (tag: string) => () => defineCheckout({ tag, checkoutOrigin: pay })
  expect(define('Acme')).toThrow(
    expect.objectContaining({
      ...{ name: 'TypeError', cause: expect.any(DOMException) },
      message: 'tag: must be lower case with a dash, such as acme-checkout; received "Acme"',
    }),
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
