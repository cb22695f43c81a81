// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { configureCheckout, type Handoff, PiCheckout, PiEvent } from '../src/index.ts'

const checkoutOrigin = 'https://pay.example'

const one = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
const two = { id: 'pi_2', clientSecret: 'pi_2_secret_y' }

type Result = () => Promise<Handoff>
/** Throws a value that `String()` may reject. */
const throwing = (cause: unknown) => (): never => {
  throw cause
}
/** Ends a request that is `resolving` or `rejecting`. */
let end = (): void => {}
const results = {
  pending: (): Promise<never> => new Promise(() => {}),
  fast: async () => one,
  throws: throwing(new Error('The shop is closed')),
  resolving: () =>
    new Promise<Handoff>((resolve) => {
      end = () => resolve(one)
    }),
  rejecting: () =>
    new Promise<never>((_, reject) => {
      end = () => reject(new Error('too late'))
    }),
} satisfies Record<string, Result>
const { fast, throws, pending } = results

const log = vi.spyOn(console, 'error').mockReturnValue()
let pay: PiCheckout
let signals: AbortSignal[] = []
let events: string[] = []
let frame: HTMLIFrameElement | null | undefined

beforeEach(() => {
  configureCheckout({ checkoutOrigin })
  log.mockClear()
  signals = []
  events = []
  frame = undefined
  end = () => {}
  pay = document.createElement('pi-checkout')
  for (const type of ['pi-statechange', 'pi-error'] as const) {
    pay.addEventListener(type, ({ type: name }) => events.push(`${name} ${pay.state}`))
  }
})

afterEach(() => {
  document.body.replaceChildren()
  vi.unstubAllGlobals()
})

/** Inserts the element. `fetchHandoff` has one result for each call. */
function start(...given: readonly Result[]): void {
  pay.fetchHandoff = ({ signal }) => (given[signals.push(signal) - 1] ?? pending)()
  document.body.append(pay)
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Returns the state, the mounted id, whether its frame was kept, and whether each request was aborted. */
function outcome(): string {
  const frames = Array.from(pay.shadowRoot?.querySelectorAll('iframe') ?? [])
  const ids = frames.map((shown) => shown.src.split('/').at(-1) + (shown === frame ? ' kept' : ''))
  const requests = signals.map(({ aborted }) => (aborted ? 'aborted' : 'sent'))
  return [pay.state, ...ids, ...requests].join(' ')
}

const acts = {
  reload: () => pay.reload(),
  remove: () => pay.remove(),
  move: () => document.body.append(pay),
  'set another function': () => Object.assign(pay, { fetchHandoff: pending }),
  'reload and clear': () => {
    pay.reload()
    Object.assign(pay, clear)
  },
}
const clear = { fetchHandoff: null, handoff: null }

test.each<[string, 'later' | 'loading' | 'error', keyof typeof acts | object, string]>([
  ['pending', 'later', { handoff: two }, 'loading pi_2 aborted'],
  ['pending fast', 'later', { handoff: null }, 'loading pi_1 aborted sent'],
  ['pending', 'later', { fetchHandoff: null }, 'idle aborted'],
  ['pending fast', 'later', 'reload', 'loading pi_1 aborted sent'],
  ['pending fast', 'later', 'move', 'loading pi_1 aborted sent'],
  ['throws fast', 'later', { handoff: null }, 'loading pi_1 aborted sent'],
  ['throws', 'later', { fetchHandoff: null }, 'idle aborted'],
  ['resolving', 'later', { handoff: two }, 'loading pi_2 aborted'],
  ['resolving', 'later', 'remove', 'idle aborted'],
  ['rejecting', 'later', { handoff: two }, 'loading pi_2 aborted'],
  ['rejecting', 'later', 'remove', 'idle aborted'],
  ['pending', 'loading', { handoff: two }, 'loading pi_2'],
  ['fast', 'loading', { fetchHandoff: null }, 'idle'],
  ['fast', 'loading', 'remove', 'idle'],
  ['fast', 'loading', 'move', 'loading pi_1 sent'],
  ['throws', 'error', { handoff: two }, 'loading pi_2 aborted'],
  ['throws fast', 'error', 'reload', 'loading pi_1 aborted sent'],
  ['throws fast', 'error', 'move', 'loading pi_1 aborted sent'],
  ['fast', 'later', { handoff: { ...one } }, 'loading pi_1 kept sent'],
  ['fast', 'later', 'set another function', 'loading pi_1 kept sent'],
  ['fast', 'later', { fetchHandoff: null }, 'loading pi_1 kept sent'],
  ['fast', 'later', 'reload', 'loading pi_1 sent'],
  ['fast', 'later', 'move', 'loading pi_1 sent'],
  ['fast', 'later', { handoff: two }, 'loading pi_2 sent'],
  ['fast pending', 'later', { handoff: null }, 'loading sent sent'],
  ['fast', 'later', clear, 'idle sent'],
  ['fast', 'later', 'reload and clear', 'idle sent'],
])('after the requests "%s", when %s, %j leads to "%s"', async (requests, when, act, expected) => {
  const perform = (): void => {
    if (typeof act === 'string') acts[act as keyof typeof acts]()
    else Object.assign(pay, act)
  }
  const handle = ({ state }: { readonly state: string }): void => {
    if (state !== when) return
    pay.removeEventListener('pi-statechange', handle)
    perform()
  }
  pay.addEventListener('pi-statechange', handle)
  start(...requests.split(' ').map((name) => results[name as keyof typeof results]))
  await settled()
  if (when === 'later') {
    frame = pay.shadowRoot?.querySelector('iframe')
    // Both in one task.
    end()
    perform()
    await settled()
  }
  expect(outcome()).toBe(expected)
  expect(pay.error).toBeNull()
  if (!requests.includes('throws')) expect(events).not.toContain('pi-error error')
})

test('a handler can set a handoff when the element becomes idle', async () => {
  start(throws)
  await settled()
  pay.addEventListener('pi-statechange', ({ state }) => {
    if (state === 'idle') pay.handoff = two
  })
  pay.fetchHandoff = null
  await settled()
  expect(outcome()).toBe('loading pi_2 aborted')
})

const noHandoff = 'handoff: must have id and clientSecret'
const apiKey = 'clientSecret: must not be a secret API key'

test.each<[string, Result]>([
  ['The shop is closed', throws],
  [noHandoff, async () => undefined as never],
  [noHandoff, async () => ({ id: 'pi_1' }) as Handoff],
  [noHandoff, async () => ({ id: '', clientSecret: '' })],
  [apiKey, async () => ({ id: 'pi_1', clientSecret: 'pi_sk_test_x' })],
  ['fetchHandoff failed', throwing(Object.create(null))],
  ['fetchHandoff failed', throwing(Symbol('closed'))],
  ['fetchHandoff failed', throwing(undefined)],
])('reports handoff_failed for %s, and tries again on the button', async (cause, result) => {
  start(result, fast)
  await settled()
  expect(events).toEqual(['pi-statechange loading', 'pi-statechange error', 'pi-error error'])
  const help = `pi-checkout: handoff_failed. ${cause}. Read your server's log.`
  expect(pay.shadowRoot?.querySelector('.help')?.textContent).toBe(`Test mode: ${help}`)
  expect(log.mock.calls).toEqual([[help]])
  pay.shadowRoot?.querySelector('button')?.click()
  await settled()
  expect(outcome()).toBe('loading pi_1 aborted sent')
})

test.each(['..', 'a/b', 'pi 1', 'пи', 'a'.repeat(129)])(
  'reports invalid_values for the id "%s", which could leave the path',
  async (id) => {
    document.body.append(pay)
    pay.handoff = { id, clientSecret: 'x' }
    await settled()
    expect([pay.error?.code, outcome()]).toEqual(['invalid_values', 'error'])
  },
)

test('shows the help and the button of the last failure', async () => {
  const final = Object.assign(new Error('first'), { retryable: false })
  const shown = (): unknown[] => [
    pay.shadowRoot?.querySelector('.help')?.textContent,
    pay.shadowRoot?.querySelectorAll('button').length,
  ]
  start(throwing(final), throwing(new Error('second')))
  await settled()
  expect(shown()).toEqual([expect.stringContaining('first'), 0])
  pay.handoff = null
  await settled()
  expect(shown()).toEqual([expect.stringContaining('second'), 1])
})

test('reports not_configured before it requests a handoff, and mounts after a fix and reload()', async () => {
  vi.stubGlobal('location', { origin: checkoutOrigin, hostname: 'pay.example', protocol: 'https:' })
  start(fast)
  await settled()
  expect([pay.error?.code, signals]).toEqual(['not_configured', []])
  vi.unstubAllGlobals()
  pay.reload()
  await settled()
  expect(outcome()).toBe('loading pi_1 sent')
})

test('reports insecure_context before it requests a handoff', async () => {
  vi.stubGlobal('isSecureContext', false)
  start(fast)
  await settled()
  expect([pay.error?.code, signals]).toEqual(['insecure_context', []])
})

test.each([
  ['handoff', {}, noHandoff],
  ['handoff', 'pi_1', noHandoff],
  ['handoff', { id: 1, clientSecret: 'x' }, noHandoff],
  ['handoff', { id: 'pi_1', clientSecret: {} }, noHandoff],
  ['handoff', { id: 'pi_1', clientSecret: 'pi_sk_test_abc' }, apiKey],
  ['fetchHandoff', '/checkout/handoff', 'fetchHandoff: must be a function or null'],
])(
  '%s rejects %j with a fixed message that does not repeat it, and keeps the frame (threat 55)',
  async (name, value, text) => {
    pay.handoff = one
    document.body.append(pay)
    await settled()
    expect(() => Object.assign(pay, { [name]: value })).toThrow(new TypeError(text))
    await settled()
    expect(outcome()).toBe('loading pi_1')
  },
)

test('keeps values that were set before its definition', async () => {
  class Late extends PiCheckout {}
  const late = document.createElement('late-checkout')
  Object.assign(late, { fetchHandoff: fast, handoff: two })
  document.body.append(late)
  customElements.define('late-checkout', Late)
  pay = late as PiCheckout
  await settled()
  expect([outcome(), pay.fetchHandoff, pay.handoff]).toEqual(['loading pi_2', fast, null])
})

test.each([
  [false, 'error', 'cross_origin_isolated'],
  [true, 'loading pi_1 sent', undefined],
])('an isolated page with credentialless frames: %s', async (isAble, expected, code) => {
  vi.stubGlobal('crossOriginIsolated', true)
  if (isAble) Object.assign(HTMLIFrameElement.prototype, { credentialless: false })
  start(fast)
  await settled()
  Reflect.deleteProperty(HTMLIFrameElement.prototype, 'credentialless')
  expect([outcome(), pay.error?.code]).toEqual([expected, code])
})

test('focus() does nothing before the element is inserted', () => {
  expect(() => pay.focus()).not.toThrow()
})

test('an update that runs after jsdom has ended needs none of its classes', async () => {
  start(fast)
  await settled()
  for (const name of ['ShadowRoot', 'HTMLElement', 'Element']) vi.stubGlobal(name, undefined)
  pay.requestUpdate()
  await expect(pay.updateComplete).resolves.toBe(true)
})

test('an element outside of the document reads the language of its root', async () => {
  const link = document.createElement('a')
  start(fast)
  await settled()
  link.append(pay)
  pay.label = 'Pay'
  await expect(pay.updateComplete).resolves.toBe(true)
})

test('an event for unit tests has the flags of a dispatched one', () => {
  const event = new PiEvent('pi-finish', { intentId: 'pi_1' })
  expect(event).toMatchObject({ type: 'pi-finish', intentId: 'pi_1' })
  expect([event.bubbles, event.composed, event.cancelable]).toEqual([true, true, false])
})
