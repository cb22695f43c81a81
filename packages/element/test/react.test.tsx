// @vitest-environment jsdom
import { act, createRef, type ReactNode, StrictMode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HandoffError, type Phase } from '../src/client/index.ts'
import { PiCheckout, useCheckout } from '../src/frameworks/react.ts'
import { CheckoutError, defineCheckout, PiEvent } from '../src/index.ts'

type Element = HTMLElementTagNameMap['pi-checkout']

defineCheckout({ checkoutOrigin: 'https://pay.example' })
defineCheckout({ tag: 'acme-checkout', checkoutOrigin: 'https://pay.acme.example' })

const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
let root: Root
let phase: Phase | undefined
let statusRequests: AbortSignal[] = []
let handoffRequests: string[] = []

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  phase = undefined
  statusRequests = []
  handoffRequests = []
  vi.stubGlobal('fetch', async (url: string, { signal }: { signal: AbortSignal }) => {
    if (url === '/checkout/status' && statusRequests.push(signal) && phase) {
      return Response.json({ phase })
    }
    if (url !== '/checkout/status') handoffRequests.push(url)
    return new Promise(() => {})
  })
  root = createRoot(document.body)
})

afterEach(async () => {
  await act(async () => root.unmount())
  vi.unstubAllGlobals()
})

const render = (page: ReactNode): Promise<void> => act(async () => root.render(page))

test('another tag receives all values and listeners', async () => {
  const ref = createRef<Element>()
  const handlers = Object.fromEntries(
    ['Ready', 'StateChange', 'Leave', 'Finish', 'Cancel', 'Error'].map((name) => [
      `on${name}`,
      vi.fn(),
    ]),
  )
  const looks = { label: 'Pay', locale: 'ru', appearance: { radius: 4 } }
  const props = { ref, ...handlers, ...looks, fetchHandoff: async () => handoff }
  await render(<PiCheckout {...props} />)
  await render(<PiCheckout {...props} tag="acme-checkout" />)
  expect(ref.current?.localName).toBe('acme-checkout')
  expect(ref.current).toMatchObject({ ...looks, fetchHandoff: props.fetchHandoff })
  for (const handler of Object.values(handlers)) handler.mockClear()
  for (const [name, handler] of Object.entries(handlers)) {
    const event = new Event(name.replace('on', 'pi-').toLowerCase())
    ref.current?.dispatchEvent(event)
    expect(handler.mock.calls).toEqual([[event]])
  }
  const onReady = vi.fn()
  await render(<PiCheckout {...props} tag="acme-checkout" onReady={onReady} />)
  ref.current?.dispatchEvent(new PiEvent('pi-ready'))
  expect([onReady.mock.calls.length, handlers.onReady?.mock.calls.length]).toEqual([1, 1])
})

test.each([
  [{ handoff }, 'loading'],
  [{ intentId: handoff.id, clientSecret: handoff.clientSecret }, 'loading'],
  [{ intentId: handoff.id }, 'idle'],
])('an element that gets %j is %s', async (values, state) => {
  const ref = createRef<Element>()
  await render(<PiCheckout ref={ref} {...values} />)
  expect([ref.current?.state, PiCheckout.displayName]).toEqual([state, 'PiCheckout'])
})

test('checkoutOrigin registers its tag before the one handoff, also in StrictMode', async () => {
  const fetchHandoff = vi.fn(() => new Promise<typeof handoff>(() => {}))
  const ref = createRef<Element>()
  const props = { ref, tag: 'late-checkout', checkoutOrigin: 'https://pay.late.example' }
  const page = <PiCheckout {...props} fetchHandoff={fetchHandoff} />
  await render(<StrictMode>{page}</StrictMode>)
  expect(fetchHandoff).toHaveBeenCalledOnce()
  expect([ref.current?.state, ref.current?.error]).toEqual(['loading', null])
  const checkoutOrigin = 'https://other.example'
  expect(() => defineCheckout({ ...props, checkoutOrigin })).toThrow('https://pay.late.example')
})

test('registers its tag as soon as checkoutOrigin is known', async () => {
  const tag = 'later-checkout'
  await render(<PiCheckout tag={tag} />)
  expect(customElements.get(tag)).toBeUndefined()
  await render(<PiCheckout tag={tag} checkoutOrigin="https://pay.later.example" />)
  expect(customElements.get(tag)).toBeDefined()
})

test('clears a value that is no longer passed, but none that was never passed', async () => {
  let element: Element | null = null
  const ref = (node: Element | null): void => {
    element ??= Object.assign(node as Element, { handoff })
  }
  const ids: unknown[] = []
  for (const props of [{}, { intentId: 'pi_1' }, {}]) {
    await render(<PiCheckout ref={ref} {...props} />)
    ids.push((element as Element | null)?.intentId)
  }
  expect(ids).toEqual(['pi_1', 'pi_1', null])
})

function Checkout({ handoff: route = '/checkout/handoff' }): ReactNode {
  const routes = { handoff: route, status: '/checkout/status' }
  const { props, phase: current, error } = useCheckout(routes)
  return (
    <>
      <PiCheckout {...props} />
      <output>{[current, error?.code]}</output>
    </>
  )
}

const failed = (cause?: unknown): PiEvent =>
  new PiEvent('pi-error', { error: new CheckoutError('handoff_failed', { cause }) })
const paid = failed(new HandoffError(409, { code: 'order_already_paid' }))
const processing = failed(new HandoffError(409, { code: 'payment_in_progress' }))
const [ready, finish, cancel] = [
  new PiEvent('pi-ready'),
  new PiEvent('pi-finish', { intentId: 'pi_1' }),
  new PiEvent('pi-cancel', { intentId: 'pi_1' }),
]

test.each<[string, PiEvent[], Phase | undefined, string, number]>([
  ['follows after pi-finish', [finish], undefined, 'processing', 1],
  ['follows after pi-cancel', [cancel], 'failed', 'failed', 1],
  ['follows a paid order without an error', [failed(), paid], undefined, 'processing', 1],
  ['follows a payment that is processing', [failed(), processing], undefined, 'processing', 1],
  ['has an error after pi-error', [failed()], undefined, 'handoff_failed', 0],
  ['has no error once the form is usable', [failed(), ready], undefined, '', 0],
  ['has no phase once the form is usable again', [cancel, ready], 'failed', '', 1],
  ['follows again after each end', [cancel, ready, finish], 'failed', 'failed', 2],
  ['keeps the phase of a paid order', [finish, ready], 'paid', 'paid', 1],
])('useCheckout %s', async (_, events, response, text, requests) => {
  phase = response
  await render(<Checkout />)
  const pay = document.querySelector('pi-checkout')
  for (const event of events) await act(async () => pay?.dispatchEvent(event))
  expect(document.querySelector('output')?.textContent).toBe(text)
  expect(statusRequests).toHaveLength(requests)
  await render(null)
  expect(statusRequests.every(({ aborted }) => aborted || phase)).toBe(true)
})

test('useCheckout requests the handoff from the current route', async () => {
  await render(<Checkout />)
  await render(<Checkout handoff="/other/handoff" />)
  await act(async () => document.querySelector('pi-checkout')?.reload())
  expect(handoffRequests).toEqual(['/checkout/handoff', '/other/handoff'])
})
