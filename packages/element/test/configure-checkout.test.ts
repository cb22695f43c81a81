// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { configureCheckout, settings } from '../src/configure-checkout.ts'

const checkoutOrigin = 'https://pay.example'

test.each(['https://pay.example/', 'http://pay.example', '', undefined])(
  'rejects %s with the rule and an example',
  (url) => {
    expect(() => configureCheckout({ checkoutOrigin: url })).toThrow(
      new TypeError('checkoutOrigin: must be https, or http on loopback, without a path'),
    )
    expect(settings).toEqual({})
  },
)

test('rejects the origin of the shop, and the types do too', () => {
  // @ts-expect-error Swapped origins.
  expect(() => configureCheckout({ shopOrigin: checkoutOrigin })).toThrow(TypeError)
})

test('accepts its origin again, a look before or after it, and no other origin', () => {
  const warm = { accent: '#ad4318' }
  configureCheckout({ appearance: { accent: '#1844ad' } })
  configureCheckout({ checkoutOrigin })
  configureCheckout({ checkoutOrigin, appearance: warm })
  configureCheckout({ checkoutOrigin })
  expect(settings).toEqual({ checkoutOrigin, appearance: warm })
  expect(() => configureCheckout({ checkoutOrigin: 'https://other.example' })).toThrow(
    new TypeError('checkoutOrigin: this page has https://pay.example already'),
  )
})

test('a module that is imported again registers nothing, and configures the registered element', async () => {
  const { PiCheckout } = await import('../src/index.ts')
  vi.resetModules()
  const again = await import('../src/index.ts')
  expect(again.PiCheckout).not.toBe(PiCheckout)
  expect(customElements.get('pi-checkout')).toBe(PiCheckout)
  again.configureCheckout({ appearance: { accent: '#ad4318' } })
  expect(settings.appearance).toEqual({ accent: '#ad4318' })
})
