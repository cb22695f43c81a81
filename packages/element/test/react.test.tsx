// @vitest-environment jsdom
import { act, createRef, type ReactNode, StrictMode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HandoffError, type PaymentPhase } from '../src/client/index.ts'
import { PiCheckout, useCheckout } from '../src/frameworks/react.ts'
import { CheckoutError, configureCheckout, PiEvent } from '../src/index.ts'

type Element = HTMLElementTagNameMap['pi-checkout']

const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
let root: Root
let phase: PaymentPhase | undefined
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

test('checkoutOrigin is configured before the one handoff, also in StrictMode', async () => {
  const fetchHandoff = vi.fn(() => new Promise<typeof handoff>(() => {}))
  const ref = createRef<Element>()
  const props = { ref, checkoutOrigin: 'https://pay.example', fetchHandoff }
  await render(
    <StrictMode>
      <PiCheckout {...props} />
    </StrictMode>,
  )
  expect(fetchHandoff).toHaveBeenCalledOnce()
  expect([ref.current?.state, ref.current?.error]).toEqual(['loading', null])
  const checkoutOrigin = 'https://other.example'
  expect(() => configureCheckout({ checkoutOrigin })).toThrow('https://pay.example')
})

test('the element receives all values and listeners', async () => {
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
  expect(ref.current).toMatchObject({ ...looks, fetchHandoff: props.fetchHandoff })
  for (const handler of Object.values(handlers)) handler.mockClear()
  for (const [name, handler] of Object.entries(handlers)) {
    const event = new Event(name.replace('on', 'pi-').toLowerCase())
    ref.current?.dispatchEvent(event)
    expect(handler.mock.calls).toEqual([[event]])
  }
  const onReady = vi.fn()
  await render(<PiCheckout {...props} onReady={onReady} />)
  ref.current?.dispatchEvent(new PiEvent('pi-ready'))
  expect([onReady.mock.calls.length, handlers.onReady?.mock.calls.length]).toEqual([1, 1])
})

test('clears a value that is no longer passed, but none that was never passed', async () => {
  let element: Element | null = null
  const ref = (node: Element | null): void => {
    element ??= Object.assign(node as Element, { handoff })
  }
  const states: unknown[] = []
  for (const props of [{}, { handoff }, {}]) {
    await render(<PiCheckout ref={ref} {...props} />)
    states.push((element as Element | null)?.state)
  }
  expect(states).toEqual(['loading', 'loading', 'idle'])
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

const unauthorized = new PiEvent('pi-error', { error: new CheckoutError('unauthorized') })
const failed = (cause?: unknown): PiEvent =>
  new PiEvent('pi-error', { error: new CheckoutError('handoff_failed', { cause }) })
const paid = failed(new HandoffError(409, { code: 'order_already_paid' }))
const processing = failed(new HandoffError(409, { code: 'payment_in_progress' }))
const review = failed(new HandoffError(409, { code: 'payment_under_review' }))
const [ready, finish, cancel] = [
  new PiEvent('pi-ready'),
  new PiEvent('pi-finish', { intentId: 'pi_1' }),
  new PiEvent('pi-cancel', { intentId: 'pi_1' }),
]

test.each<[string, PiEvent[], PaymentPhase | undefined, string, number]>([
  ['follows after pi-finish', [finish], undefined, 'processing', 1],
  ['follows after pi-cancel', [cancel], 'failed', 'failed', 1],
  ['follows a paid order without an error', [failed(), paid], undefined, 'processing', 1],
  ['follows a payment that is processing', [failed(), processing], undefined, 'processing', 1],
  ['follows a payment under review', [review], 'review', 'review', 1],
  ['asks the shop after unauthorized', [unauthorized], 'paid', 'paidunauthorized', 1],
  ['keeps the error of an unpaid order', [unauthorized], undefined, 'unauthorized', 1],
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

test('useCheckout stops following when the form is usable again', async () => {
  await render(<Checkout />)
  const pay = document.querySelector('pi-checkout')
  for (const event of [finish, ready]) await act(async () => pay?.dispatchEvent(event))
  expect(statusRequests.map(({ aborted }) => aborted)).toEqual([true])
})

test('useCheckout requests the handoff from the current route', async () => {
  await render(<Checkout />)
  await render(<Checkout handoff="/other/handoff" />)
  await act(async () => document.querySelector('pi-checkout')?.reload())
  expect(handoffRequests).toEqual(['/checkout/handoff', '/other/handoff'])
})
