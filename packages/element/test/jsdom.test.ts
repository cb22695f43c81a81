// @vitest-environment jsdom
import { afterEach, expect, test, vi } from 'vitest'
import { defineCheckout, PiEvent } from '../src/index.ts'

type Checkout = HTMLElementTagNameMap['pi-checkout']

defineCheckout({ checkoutOrigin: 'https://pay.example' })

afterEach(async () => {
  const elements = [...document.querySelectorAll('pi-checkout')]
  document.body.replaceChildren()
  await Promise.all(elements.map(({ updateComplete }) => updateComplete))
  vi.unstubAllGlobals()
})

function append(values: object): Checkout {
  const element = document.createElement('pi-checkout')
  document.body.append(element)
  return Object.assign(element, values)
}

const handoff = { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' }
const frames = ({ renderRoot }: Checkout): string[] =>
  [...renderRoot.querySelectorAll('iframe')].map(({ src }) => src)

test('renders its frame in jsdom, and removes it with the secret', async () => {
  const checkout = append({})
  expect(checkout.state).toBe('idle')
  Object.assign(checkout, handoff)
  await checkout.updateComplete
  expect(checkout.state).toBe('loading')
  expect(frames(checkout)).toEqual(['https://pay.example/checkout/pi_1'])
  checkout.clientSecret = null
  await checkout.updateComplete
  expect([checkout.state, frames(checkout)]).toEqual(['idle', []])
})

test('two elements have their own values and errors in jsdom', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const one = append(handoff)
  const two = append({ intentId: '..', clientSecret: 'x' })
  await Promise.all([one.updateComplete, two.updateComplete])
  expect([one.state, two.state]).toEqual(['loading', 'error'])
  expect(two.error?.code).toBe('invalid_values')
  expect(log.mock.calls).toEqual([[expect.stringContaining('invalid_values')]])
  log.mockRestore()
  one.remove()
  expect([one.state, two.state]).toEqual(['idle', 'error'])
})

test('an update that runs after jsdom has ended needs none of its classes', async () => {
  const checkout = append(handoff)
  await checkout.updateComplete
  for (const name of ['ShadowRoot', 'HTMLElement', 'Element']) vi.stubGlobal(name, undefined)
  checkout.requestUpdate()
  await expect(checkout.updateComplete).resolves.toBe(true)
})

test('an element outside of the document reads the language of its root', async () => {
  const link = document.createElement('a')
  const checkout = append(handoff)
  await checkout.updateComplete
  link.append(checkout)
  checkout.label = 'Pay'
  await expect(checkout.updateComplete).resolves.toBe(true)
})

test('an event for unit tests has the flags of a dispatched one', () => {
  const event = new PiEvent('pi-finish', { intentId: 'pi_1' })
  expect(event).toMatchObject({ type: 'pi-finish', intentId: 'pi_1' })
  expect([event.bubbles, event.composed, event.cancelable]).toEqual([true, true, false])
})
