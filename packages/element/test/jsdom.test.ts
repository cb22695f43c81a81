// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import '../src/define.ts'
import { configureCheckout } from '../src/index.ts'

const frames = (root: ParentNode): NodeListOf<HTMLIFrameElement> =>
  root.querySelectorAll<HTMLIFrameElement>('iframe')

test('in jsdom the element renders its frame, changes with its pair and ends', async () => {
  configureCheckout({ origin: 'https://pay.example' })
  document.body.innerHTML = '<pi-checkout><p>Waiting</p></pi-checkout>'
  const [pay] = document.getElementsByTagName('pi-checkout')
  const checkout = pay as HTMLElementTagNameMap['pi-checkout']
  expect(checkout.state).toBe('idle')
  Object.assign(checkout, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
  await checkout.updateComplete
  expect(checkout.state).toBe('loading')
  const [frame] = frames(checkout.renderRoot as ShadowRoot)
  expect(frame?.src).toBe('https://pay.example/checkout/pi_1')
  checkout.clientSecret = null
  await checkout.updateComplete
  expect(checkout.state).toBe('idle')
  expect(frames(checkout.renderRoot as ShadowRoot)).toHaveLength(0)
  checkout.remove()
  await checkout.updateComplete
})

test('in jsdom two elements keep their own pairs and errors', async () => {
  const consoleError = vi.spyOn(console, 'error').mockReturnValue()
  const [one, two] = [1, 2].map(() => document.createElement('pi-checkout'))
  if (!one || !two) throw new Error('two elements were created')
  document.body.append(one, two)
  Object.assign(one, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
  Object.assign(two, { intentId: '..', clientSecret: 'x' })
  await Promise.all([one.updateComplete, two.updateComplete])
  expect([one.state, two.state]).toEqual(['loading', 'error'])
  expect(two.error?.code).toBe('invalid_values')
  expect(consoleError.mock.calls).toEqual([[expect.stringContaining('invalid_values')]])
  consoleError.mockRestore()
  one.remove()
  expect([one.state, two.state]).toEqual(['idle', 'error'])
  two.remove()
  await Promise.all([one.updateComplete, two.updateComplete])
})
