// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defineCheckout, type Handoff, type PiCheckout, whenReady } from '../src/index.ts'
import '../src/define.ts'

const tag = 'acme-checkout'
defineCheckout({ tag, checkoutOrigin: 'https://pay.example' })

const one = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
const two = { id: 'pi_2', clientSecret: 'pi_2_secret_y' }

type Result = () => Promise<Handoff>
const pending: Result = () => new Promise(() => {})
const fast: Result = async () => one
const throws: Result = () => {
  throw new Error('The shop is closed')
}
/** Throws a value that `String()` may reject. */
const throwing = (cause: unknown) => (): never => {
  throw cause
}

let pay: PiCheckout
let signals: AbortSignal[] = []
let events: string[] = []

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue()
  signals = []
  events = []
  pay = document.createElement(tag) as PiCheckout
  for (const type of ['pi-statechange', 'pi-error'] as const) {
    pay.addEventListener(type, ({ type: name }) => events.push(`${name} ${pay.state}`))
  }
})

afterEach(() => {
  document.body.replaceChildren()
  vi.unstubAllGlobals()
})

/** Inserts the element. `fetchHandoff` has one result for each call. */
function start(...results: readonly Result[]): void {
  pay.fetchHandoff = ({ signal }) => (results[signals.push(signal) - 1] ?? pending)()
  document.body.append(pay)
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Returns the state, the mounted id, and whether each request was aborted. */
function outcome(): string {
  const frames = pay.shadowRoot?.querySelectorAll('iframe') ?? []
  const ids = Array.from(frames, ({ src }) => src.replace('https://pay.example/checkout/', ''))
  const requests = signals.map(({ aborted }) => (aborted ? 'aborted' : 'sent'))
  return [pay.state, ...ids, ...requests].join(' ')
}

const setTwo = (): unknown => Object.assign(pay, { handoff: two })
const setNull = (): unknown => Object.assign(pay, { handoff: null })
const setPair = (): unknown =>
  Object.assign(pay, { intentId: two.id, clientSecret: two.clientSecret })
const move = (): unknown => document.body.append(pay)
const noFetch = (): unknown => Object.assign(pay, { fetchHandoff: null })

test.each<[string, Result[], () => unknown, string]>([
  ['another handoff', [pending], setTwo, 'loading pi_2 aborted'],
  ['id and secret', [pending], setPair, 'loading pi_2 aborted'],
  ['null', [pending, fast], setNull, 'loading pi_1 aborted sent'],
  ['no function', [pending], noFetch, 'idle aborted'],
  ['a reload', [pending, fast], () => pay.reload(), 'loading pi_1 aborted sent'],
  ['null after a failure', [throws, fast], setNull, 'loading pi_1 aborted sent'],
  ['no function after a failure', [throws], noFetch, 'idle aborted'],
  ['a removal', [pending], () => pay.remove(), 'idle aborted'],
  ['another insertion', [pending, fast], move, 'loading pi_1 aborted sent'],
])('%s replaces the request', async (_, results, act, expected) => {
  start(...results)
  await settled()
  act()
  await settled()
  expect(outcome()).toBe(expected)
})

test.each<[string, () => unknown, string]>([
  ['another handoff', setTwo, 'loading pi_2 aborted'],
  ['id and secret', setPair, 'loading pi_2 aborted'],
  ['a removal', () => pay.remove(), 'idle aborted'],
])('%s wins over a request that ends in the same task', async (_, act, expected) => {
  for (const end of ['resolve', 'reject'] as const) {
    signals = []
    pay.remove()
    pay.handoff = null
    let ends = { resolve: () => {}, reject: () => {} }
    start(
      () =>
        new Promise((resolve, reject) => {
          ends = { resolve: () => resolve(one), reject: () => reject(new Error('too late')) }
        }),
    )
    await settled()
    events = []
    ends[end]()
    act()
    await settled()
    noFetch()
    move()
    await settled()
    expect(outcome()).toBe(expected)
    expect(events.join()).not.toContain('error')
  }
})

test.each<[string, 'loading' | 'error', Result[], () => unknown, string]>([
  ['a handoff', 'loading', [pending], setTwo, 'loading pi_2'],
  ['id and secret', 'loading', [fast], setPair, 'loading pi_2'],
  ['no function', 'loading', [fast], noFetch, 'idle'],
  ['a removal', 'loading', [fast], () => pay.remove(), 'idle'],
  ['a move', 'loading', [fast], move, 'loading pi_1 sent'],
  ['a handoff', 'error', [throws], setTwo, 'loading pi_2 aborted'],
  ['a reload', 'error', [throws, fast], () => pay.reload(), 'loading pi_1 aborted sent'],
  ['a move', 'error', [throws, fast], move, 'loading pi_1 aborted sent'],
])('%s in a handler of the state %s takes effect', async (_, state, results, act, expected) => {
  let done = false
  pay.addEventListener('pi-statechange', (event) => {
    if (event.state !== state || done) return
    done = true
    act()
  })
  start(...results)
  await settled()
  expect(outcome()).toBe(expected)
  expect(pay.error).toBeNull()
})

test('a handler can set a handoff when the element becomes idle', async () => {
  start(throws)
  await settled()
  pay.addEventListener('pi-statechange', ({ state }) => {
    if (state === 'idle') setTwo()
  })
  noFetch()
  await settled()
  expect(outcome()).toBe('loading pi_2 aborted')
})

test('an id that is set after a handoff does not receive its secret', async () => {
  document.body.append(pay)
  Object.assign(pay, { handoff: one, intentId: 'pi_2' })
  await settled()
  expect(outcome()).toBe('idle')
})

test.each([
  ['requested', (): void => start(fast)],
  [
    'set',
    (): void => {
      document.body.append(pay)
      pay.handoff = one
    },
  ],
])('a removed attribute keeps a handoff that was %s after it', async (_, act) => {
  pay.setAttribute('intent-id', 'pi_3')
  act()
  await settled()
  pay.removeAttribute('intent-id')
  await settled()
  expect(outcome()).toMatch(/^loading pi_1/)
})

test.each([
  ['object', throwing(Object.create(null))],
  ['Symbol(closed)', throwing(Symbol('closed'))],
  ['undefined', throwing(undefined)],
])('reports a failure whose cause prints as %s', async (text, result) => {
  start(result)
  await settled()
  expect(events.slice(1)).toEqual(['pi-statechange error', 'pi-error error'])
  expect(pay.shadowRoot?.textContent).toContain(`fetchHandoff failed: ${text}`)
})

test('shows the help and the button of the last failure, and keeps an unchanged one', async () => {
  const final = Object.assign(new Error('first'), { retryable: false })
  const buttons = (): number | undefined => pay.shadowRoot?.querySelectorAll('button').length
  start(throwing(final), throwing(new Error('second')))
  await settled()
  const help = pay.shadowRoot?.querySelector('p')
  expect([help?.textContent, buttons()]).toEqual([expect.stringContaining('first'), 0])
  pay.label = 'Pay'
  await settled()
  expect(pay.shadowRoot?.querySelector('p')).toBe(help)
  setNull()
  await settled()
  expect(pay.shadowRoot?.querySelector('p')?.textContent).toContain('second')
  expect(buttons()).toBe(1)
  vi.stubGlobal('location', { origin: 'https://shop.example', protocol: 'https:' })
  pay.handoff = { id: '..', clientSecret: 'x' }
  await settled()
  expect([pay.error?.code, pay.shadowRoot?.querySelector('p')]).toEqual(['invalid_values', null])
})

test.each([
  ['not_configured', 'pi-checkout', true],
  ['insecure_context', tag, false],
])('reports %s before it requests a handoff', async (code, name, isSecureContext) => {
  vi.stubGlobal('isSecureContext', isSecureContext)
  pay = document.createElement(name) as PiCheckout
  start(fast)
  await settled()
  expect([pay.error?.code, signals]).toEqual([code, []])
})

test('whenReady waits after reload(), and state and error change together', async () => {
  start(throws)
  await settled()
  pay.reload()
  expect([pay.state, pay.error?.code]).toEqual(['error', 'handoff_failed'])
  const ready = whenReady(pay).then(
    () => 'ready',
    () => 'rejects',
  )
  expect(await Promise.race([ready, settled().then(() => 'waits')])).toBe('waits')
  expect([pay.state, pay.error]).toEqual(['loading', null])
})

test.each([
  ['handoff', {}, 'handoff: must have id and clientSecret'],
  ['handoff', 'pi_1', 'handoff: must have id and clientSecret'],
  ['fetchHandoff', '/checkout/handoff', 'fetchHandoff: must be a function or null'],
])('%s rejects a value of another type', (name, value, message) => {
  expect(() => Object.assign(pay, { [name]: value })).toThrow(new TypeError(message))
})

test('focus() does nothing before the element is inserted', () => {
  expect(() => pay.focus()).not.toThrow()
})
