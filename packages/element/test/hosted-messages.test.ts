// @vitest-environment jsdom
import type { FromFrame } from '@pi-checkout/contract/frame-protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { configureCheckout, type Handoff, PiCheckout, type PiEventType } from '../src/index.ts'

const checkoutOrigin = 'https://pay.example'
configureCheckout({ checkoutOrigin, appearance: { accent: '#ad4318' } })

const one = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
const two = { id: 'pi_2', clientSecret: 'pi_2_secret_y' }

const types = ['statechange', 'ready', 'leave', 'finish', 'cancel', 'error'].map(
  (name) => `pi-${name}` as PiEventType,
)
const log = vi.spyOn(console, 'error').mockReturnValue()
let pay: PiCheckout
let events: string[] = []
/** Messages that the hosted page has received since it connected. */
let received: unknown[] = []
/** The port of the element. */
let port: {
  onmessage: (event: { readonly data: unknown }) => void
  readonly [name: string]: unknown
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('MessageChannel', function connected() {
    const postMessage = (message: unknown): void => void received.push(message)
    port = { onmessage: () => {}, close: vi.fn(), postMessage }
    return { port1: port, port2: {} }
  })
  events = []
  pay = document.createElement('pi-checkout')
  for (const type of types) {
    pay.addEventListener(type, (event: Event & { intentId?: string; error?: { code: string } }) => {
      const detail = event.intentId ?? event.error?.code
      events.push([type, pay.state, detail].filter(Boolean).join(' '))
    })
  }
})

afterEach(() => {
  document.body.replaceChildren()
  vi.unstubAllGlobals()
  log.mockClear()
  vi.useRealTimers()
})

const root = (): ShadowRoot => pay.shadowRoot as ShadowRoot
const frame = (): HTMLIFrameElement => root().querySelector('iframe') as HTMLIFrameElement

/** Connects the page of the frame. */
function hello(): void {
  received = []
  // jsdom gives a frame in a shadow root no window.
  const source = { postMessage: () => {} }
  Object.defineProperty(frame(), 'contentWindow', { value: source, configurable: true })
  const data = { pi: 'checkout', t: 'hello', v: [1], doc: '0'.repeat(16) }
  dispatchEvent(Object.assign(new Event('message'), { source, origin: checkoutOrigin, data }))
  send({ t: 'ack' })
}

function send(...messages: readonly FromFrame[]): void {
  for (const data of messages) port.onmessage({ data })
}

/** Inserts the element with a handoff, and connects its page. */
async function mount(handoff: Handoff = one): Promise<void> {
  pay.handoff = handoff
  document.body.append(pay)
  await pay.updateComplete
  hello()
  events = []
}

const busy = { t: 'busy', on: true } as const
const idle = { t: 'busy', on: false } as const
const ready = { t: 'ready' } as const
const readyEvents = ['pi-statechange ready', 'pi-ready ready']
const finish = { t: 'finish' } as const
const finishEvents = ['pi-statechange finished', 'pi-finish finished pi_1']

test.each<[string, FromFrame[], string[]]>([
  [
    'a payment',
    [ready, busy, idle],
    [...readyEvents, 'pi-statechange busy', 'pi-statechange ready'],
  ],
  ['nothing before the form is usable', [busy, idle], []],
  ['readiness once', [ready, ready], readyEvents],
  ['a redirect', [ready, { t: 'leave' }], [...readyEvents, 'pi-leave ready']],
  ['the end once', [ready, finish, finish, busy], [...readyEvents, ...finishEvents]],
  [
    'each end of a form that is usable again',
    [ready, finish, ready, finish],
    [...readyEvents, ...finishEvents, ...readyEvents, ...finishEvents],
  ],
  ['the end without readiness', [finish], finishEvents],
  ['a cancel', [{ t: 'cancel' }], ['pi-statechange finished', 'pi-cancel finished pi_1']],
])('reports %s', async (_, messages, expected) => {
  await mount()
  send(...messages)
  expect(events).toEqual(expected)
})

const clearForAMoment = async (): Promise<void> => {
  pay.handoff = null
  await pay.updateComplete
  pay.handoff = one
}
const renew = (): void => {
  pay.fetchHandoff = async () => one
  send(unauthorized)
}

test.each<[string, () => unknown, string[]]>([
  ['a reload of the page', () => {}, []],
  ['reload()', () => pay.reload(), []],
  ['another insertion', () => document.body.append(pay), []],
  ['another request for the same handoff', renew, []],
  ['clearing the handoff for a moment', clearForAMoment, ['pi-finish finished pi_1']],
])('connects again after the end and %s', async (_, act, reports) => {
  await mount()
  send(ready, finish)
  await act()
  await vi.advanceTimersByTimeAsync(0)
  hello()
  events = []
  send(finish)
  expect(events).toEqual(['pi-statechange finished', ...reports])
  hello()
  events = []
  send(ready, finish)
  expect(events).toEqual([...readyEvents, ...finishEvents])
})

test('no event has a status, amount, method, URL, or token', async () => {
  const fields: unknown[] = []
  for (const type of types) {
    pay.addEventListener(type, ({ isTrusted: _, ...own }: Event) => fields.push([type, own]))
  }
  await mount()
  const more = { status: 'succeeded', amount: 100, url: 'x', token: 'y', method: 'card' }
  for (const message of [ready, busy, { t: 'leave' }, finish]) {
    port.onmessage({ data: { ...message, ...more } })
  }
  expect(fields).toEqual([
    ['pi-statechange', { state: 'loading', previous: 'idle' }],
    ['pi-statechange', { state: 'ready', previous: 'loading' }],
    ['pi-ready', {}],
    ['pi-statechange', { state: 'busy', previous: 'ready' }],
    ['pi-leave', {}],
    ['pi-statechange', { state: 'finished', previous: 'busy' }],
    ['pi-finish', { intentId: 'pi_1' }],
  ])
})

test('no property or node of the element has the secret (threat 45)', async () => {
  await mount()
  const names = [pay, PiCheckout.prototype].flatMap(Object.getOwnPropertyNames)
  for (const name in pay) names.push(name)
  expect(names).toContain('handoff')
  const values = names.map((name) => String(Reflect.get(pay, name)))
  expect([...values, root().innerHTML].join()).not.toContain(one.clientSecret)
})

test.each<[PiEventType, FromFrame[]]>([
  ['pi-statechange', []],
  ['pi-ready', [ready]],
  ['pi-leave', [ready, { t: 'leave' }]],
  ['pi-finish', [ready, finish]],
  ['pi-cancel', [{ t: 'cancel' }]],
  ['pi-error', [{ t: 'fail', code: 'unauthorized' }]],
])(
  'leaves no frame, port, listener, or timer if a %s handler removes it',
  async (type, messages) => {
    const added = [window, document].map((target) => vi.spyOn(target, 'addEventListener'))
    pay.addEventListener(type, () => pay.remove())
    pay.handoff = one
    document.body.append(pay)
    await pay.updateComplete
    if (frame()) hello()
    if (frame()) send(...messages)
    const options = added.flatMap(({ mock }) => mock.calls.map((call) => call[2]))
    for (const spy of added) spy.mockRestore()
    expect(new Set(options.map((given) => Object(given).signal?.aborted))).toEqual(new Set([true]))
    expect([frame(), pay.state, vi.getTimerCount()]).toEqual([null, 'idle', 0])
    if (messages.length) expect(port.close).toHaveBeenCalled()
  },
)

test('sends locale and appearance before the secret, and again when they change', async () => {
  document.documentElement.lang = 'hy'
  await mount()
  const auth = { t: 'auth', id: 'pi_1', secret: one.clientSecret }
  const standard = '{"accent":"#ad4318"}'
  expect(received).toEqual([{ t: 'config', locale: 'hy', appearance: standard }, auth])
  for (const [values, locale, appearance] of [
    [{ locale: 'ru' }, 'ru', standard],
    [{ locale: '' }, 'hy', standard],
    [{ locale: 'ru' }, 'ru', standard],
    [{ appearance: { radius: 4 } }, 'ru', '{"radius":4}'],
    [{ locale: null, appearance: null }, 'hy', standard],
  ] as const) {
    received = []
    Object.assign(pay, values)
    await pay.updateComplete
    expect(received).toEqual([{ t: 'config', locale, appearance }])
  }
  received = []
  pay.label = 'Pay'
  await pay.updateComplete
  expect(received).toEqual([])
  document.documentElement.lang = ''
})

test('names the frame, in the language of the page or by its label', async () => {
  await mount()
  const titles = []
  for (const values of [{}, { locale: 'ru' }, { label: 'Pay' }, { locale: null, label: null }]) {
    Object.assign(pay, values)
    await pay.updateComplete
    titles.push(frame().title)
  }
  const title = 'Secure payment form'
  expect(titles).toEqual([title, 'Безопасная форма оплаты', 'Pay', title])
})

test('shows its children while idle, a text while loading, and a text after an error', async () => {
  const shown = (): unknown[] => [
    !root().querySelector('slot')?.hidden,
    root().querySelector('[role=status]')?.textContent?.trim(),
    root().querySelector('[role=alert]')?.textContent?.trim(),
  ]
  document.body.append(pay)
  await pay.updateComplete
  expect(shown()).toEqual([true, '', ''])
  await mount()
  expect(frame().inert).toBe(true)
  expect(shown()).toEqual([false, 'This takes longer than usual…', ''])
  send(ready)
  await pay.updateComplete
  expect(frame().inert).toBe(false)
  expect(shown()).toEqual([false, '', ''])
  send({ t: 'fail', code: 'origin_not_allowed' })
  await pay.updateComplete
  expect(shown()).toEqual([
    false,
    '',
    expect.stringMatching(
      /^The payment form is not available right now\.\s+Test mode: pi-checkout: origin_not_allowed\. /,
    ),
  ])
})

const internal = { t: 'fail', code: 'x' } as const

/** Waits for the automatic retry, which connects again. */
async function retried(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1000)
  hello()
}

test.each([
  [0, 500],
  [0.5, 750],
])('mounts again after a failure, at random (%d) after %d ms', async (random, time) => {
  vi.spyOn(Math, 'random').mockReturnValue(random)
  await mount()
  send(ready, internal)
  await vi.advanceTimersByTimeAsync(time - 1)
  expect(root().querySelector('iframe')).toBeNull()
  await vi.advanceTimersByTimeAsync(1)
  expect([frame().src, pay.state]).toEqual([`${checkoutOrigin}/checkout/pi_1`, 'loading'])
  hello()
  send(ready, internal)
  await retried()
  send(internal)
  expect(events).toEqual([
    ...readyEvents,
    'pi-statechange loading',
    ...readyEvents,
    'pi-statechange loading',
    'pi-statechange error',
    'pi-error error internal',
  ])
  expect(pay.error).toMatchObject({ code: 'internal', retryable: true })
  await pay.updateComplete
  root().querySelector<HTMLElement>('[part="retry"]')?.click()
  await pay.updateComplete
  hello()
  send(internal)
  expect(pay.state).toBe('loading')
})

test('does not mount again after its removal', async () => {
  await mount()
  send(internal)
  pay.remove()
  await vi.advanceTimersByTimeAsync(1000)
  expect([pay.state, root().querySelector('iframe')]).toEqual(['idle', null])
})

test.each([
  ['https:', 'shop.example', undefined, '', 0],
  ['https:', 'shop.example', true, 'pi-checkout: offline. No response from', 1],
  ['http:', '127.0.0.1', undefined, 'pi-checkout: offline. No response from', 1],
  ['http:', '192.168.1.9', undefined, '', 1],
] as const)(
  'an offline page over %s at %s, test %s, shows the help "%s"',
  async (protocol, hostname, isTest, help, lines) => {
    vi.stubGlobal('location', { origin: `${protocol}//${hostname}`, hostname, protocol })
    vi.stubGlobal('navigator', { onLine: false })
    await mount()
    send(internal)
    await retried()
    send({ ...internal, test: isTest })
    await pay.updateComplete
    expect(pay.error?.code).toBe('offline')
    expect(root().querySelector('.help')?.textContent ?? '').toContain(help)
    expect(log).toHaveBeenCalledTimes(lines)
  },
)

test('an offline element mounts again when the browser is online, and no other one does', async () => {
  vi.stubGlobal('navigator', { onLine: false })
  await mount()
  send(internal)
  await retried()
  send(internal)
  expect(pay.error?.code).toBe('offline')
  dispatchEvent(new Event('online'))
  await pay.updateComplete
  expect(pay.state).toBe('loading')
  hello()
  send({ t: 'fail', code: 'unauthorized' })
  dispatchEvent(new Event('online'))
  await pay.updateComplete
  expect(pay.error?.code).toBe('unauthorized')
})

const unauthorized = { t: 'fail', code: 'unauthorized' } as const

test('requests another handoff once after a rejected one, and again after the form was usable', async () => {
  const handoffs = [one, two, one, two]
  const fetchHandoff = vi.fn(async () => handoffs[fetchHandoff.mock.calls.length - 1] ?? one)
  pay.fetchHandoff = fetchHandoff
  document.body.append(pay)
  const connect = async (...messages: FromFrame[]): Promise<string> => {
    hello()
    send(...messages)
    await vi.advanceTimersByTimeAsync(0)
    return `${pay.state} ${frame()?.src.split('/').at(-1)} ${fetchHandoff.mock.calls.length}`
  }
  await vi.advanceTimersByTimeAsync(0)
  expect(await connect(unauthorized)).toBe('loading pi_2 2')
  expect(await connect(ready)).toBe('ready pi_2 2')
  expect(await connect(unauthorized)).toBe('loading pi_1 3')
  expect(await connect(unauthorized)).toBe('error undefined 3')
  expect(pay.error?.code).toBe('unauthorized')
  // Each of these allows one more call. A reload begins with one.
  for (const [act, calls] of [
    [() => pay.reload(), 5],
    [() => document.body.append(pay), 6],
    [() => Object.assign(pay, { handoff: two }), 7],
  ] as const) {
    act()
    await vi.advanceTimersByTimeAsync(0)
    await connect(unauthorized)
    expect(await connect(unauthorized)).toBe(`error undefined ${calls}`)
  }
})

test('an unauthorized handoff of the page is an error', async () => {
  await mount()
  send(unauthorized)
  expect(events).toEqual(['pi-statechange error', 'pi-error error unauthorized'])
})

test.each(['button', 'input', 'body'])(
  'moves the focus of a failed frame to the button, but not from elsewhere: %s',
  async (name) => {
    await mount()
    send(ready)
    frame().tabIndex = 0
    if (name !== 'body') pay.focus()
    expect(root().activeElement).toBe(name === 'body' ? null : frame())
    send(internal)
    const input = document.createElement('input')
    document.body.append(input)
    if (name === 'input') input.focus()
    await retried()
    send(internal)
    await vi.advanceTimersByTimeAsync(0)
    const focused = document.activeElement === pay ? root().activeElement : document.activeElement
    expect(focused?.localName).toBe(name)
  },
)

test('state and error change together after reload()', async () => {
  await mount()
  send(unauthorized)
  pay.reload()
  expect([pay.state, pay.error?.code]).toEqual(['error', 'unauthorized'])
  await pay.updateComplete
  expect([pay.state, pay.error]).toEqual(['loading', null])
})

test('warns after a second about a property that it does not have', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  Object.assign(pay, { clientSecret: 'x' })
  document.body.append(pay)
  await vi.advanceTimersByTimeAsync(1000)
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('unknown property clientSecret'))
})
