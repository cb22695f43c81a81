import { expect, test } from 'vitest'

test('every entry imports in Node, and only ./define registers the tag', async () => {
  const { PiCheckout, PiEvent } = await import('../src/index.ts')
  expect(globalThis.customElements?.get('pi-checkout')).toBeUndefined()
  await import('../src/define.ts')
  expect(customElements.get('pi-checkout')).toBe(PiCheckout)
  await import('../src/testing.ts')
  const event = new PiEvent('pi-finish', { intentId: 'pi_1' })
  expect([event.type, event.bubbles, event.composed, event.cancelable]).toEqual([
    'pi-finish',
    true,
    true,
    false,
  ])
})
