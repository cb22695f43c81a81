// @vitest-environment jsdom
import type { FromFrame } from '@pi-checkout/contract/frame-protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FrameSession, type SessionEvent } from '../src/frame-session.ts'

const origin = 'https://pay.example'
const doc = '0'.repeat(16)

interface Port {
  readonly port1: {
    onmessage: (event: { readonly data: unknown }) => void
    readonly close: () => void
    readonly postMessage: (message: unknown) => void
  }
  readonly port2: object
}

let session: FrameSession
/** Emitted events, and what was sent through a port. */
let log: unknown[] = []
let ports: Port[] = []
let shop: 'late' | undefined
let isHidden = false

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => isHidden)
  vi.stubGlobal('MessageChannel', function connected(): Port {
    const postMessage = (message: unknown): void => void log.push({ sent: message })
    const port = { port1: { onmessage: () => {}, close: vi.fn(), postMessage }, port2: {} }
    ports.push(port)
    return port
  })
  ports = []
  isHidden = false
  shop = undefined
  session = new FrameSession({
    origin,
    handoff: { id: 'pi_1', clientSecret: 'x' },
    locale: () => 'en',
    appearance: () => ({ accent: '#ad4318' }),
    shop: () => shop,
    emit: (event: SessionEvent) => log.push(event),
  })
  document.body.append(session.frame)
  log = []
})

afterEach(() => {
  session.end()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function hello(changes: object = {}, v = [1]): void {
  const data = { pi: 'checkout', t: 'hello', v, doc }
  const { contentWindow: source } = session.frame
  dispatchEvent(Object.assign(new Event('message'), { source, origin, data, ...changes }))
}

function send(...messages: readonly FromFrame[]): void {
  for (const data of messages) ports.at(-1)?.port1.onmessage({ data })
}

function connect(): void {
  hello()
  send({ t: 'ack' })
}

const load = (): unknown => session.frame.dispatchEvent(new Event('load'))
const show = (persisted: boolean): unknown =>
  dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
const ready = { t: 'ready' } as const
const failed = (code: string) => ({ t: 'fail', code })

test('its frame has no more rights than the hosted page needs', () => {
  const attributes = Array.from(session.frame.attributes, ({ name, value }) => [name, value])
  expect(Object.fromEntries(attributes)).toEqual({
    src: `${origin}/checkout/pi_1`,
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-top-navigation',
  })
  expect(session.frame).toMatchObject({ inert: true, referrerPolicy: 'strict-origin' })
})

test('answers the exact page with a port, and sends the secret after its acknowledgment', () => {
  const post = vi.spyOn(session.frame.contentWindow as Window, 'postMessage')
  session.configure()
  hello()
  const init = { pi: 'checkout', t: 'init', v: 1, doc }
  expect(post.mock.calls).toEqual([[init, origin, [ports[0]?.port2]]])
  send(ready, { t: 'renew' })
  session.configure()
  expect(log).toEqual([{ t: 'hello' }])
  send({ t: 'ack' }, { t: 'ack' })
  const auth = { sent: { t: 'auth', id: 'pi_1', secret: 'x' } }
  const config = { sent: { t: 'config', locale: 'en', appearance: '{"accent":"#ad4318"}' } }
  expect(log.splice(0)).toEqual([{ t: 'hello' }, config, auth])
  send({ t: 'renew' }, { t: 'leave' })
  const left = { sent: { t: 'left', page: location.href } }
  expect(log.splice(0)).toEqual([auth, { t: 'leave' }, left])
  send({ t: 'busy', on: true }, { t: 'finish' }, { t: 'cancel' }, { t: 'unknown' } as never)
  expect(log).toEqual([{ t: 'busy', on: true }, { t: 'finish' }, { t: 'cancel' }])
})

test('sends each change of what the page shows once', () => {
  connect()
  log = []
  shop = 'late'
  session.configure()
  session.configure()
  shop = undefined
  session.configure()
  const config = { t: 'config', locale: 'en', appearance: '{"accent":"#ad4318"}' }
  expect(log).toEqual([{ sent: { ...config, shop: 'late' } }, { sent: config }])
})

test.each<[string, () => void]>([
  ['another origin', () => hello({ origin: 'https://evil.example' })],
  ['another window', () => hello({ source: window })],
  ['another message', () => hello({ data: { t: 'hello' } })],
  [
    'a removed frame',
    () => {
      session.frame.remove()
      hello({ source: null })
    },
  ],
])('ignores %s', (_, act) => {
  act()
  expect([ports, log]).toEqual([[], []])
})

test('connects a reloaded page, five times in ten seconds', () => {
  for (const _ of Array(5)) {
    hello()
    send({ t: 'renew' }, { t: 'ack' })
  }
  // Each page receives `config` and `auth` after its own acknowledgment.
  expect(log).toHaveLength(15)
  expect(ports.map(({ port1 }) => vi.mocked(port1.close).mock.calls.length)).toEqual([
    1, 1, 1, 1, 0,
  ])
  log = []
  ports[3]?.port1.onmessage({ data: ready })
  expect(log).toEqual([])
  hello()
  send(ready)
  expect(log).toEqual([failed('connection_lost')])
  expect(ports[4]?.port1.close).toHaveBeenCalledOnce()
})

test('connects a page that supports its version, among others', () => {
  hello({}, [3, 2, 1])
  expect(log).toEqual([{ t: 'hello' }])
  hello({}, [2])
  expect(log).toEqual([{ t: 'hello' }, failed('protocol_mismatch')])
})

test.each<[FromFrame, object]>([
  [{ t: 'fail', code: 'unauthorized' }, failed('unauthorized')],
  [{ t: 'fail', code: 'origin_not_allowed' }, failed('origin_not_allowed')],
  [{ t: 'fail', code: 'offline' }, failed('internal')],
])('reports %j, also before an acknowledgment', (message, expected) => {
  hello()
  log = []
  send(message)
  expect(log).toEqual([expected])
})

const becomeReady = (): void => send(ready)
const startPaying = (): void => send({ t: 'busy', on: true })
const pong = (): void => send({ t: 'pong' })
const showCached = (): unknown => show(true)
const showLoaded = (): unknown => show(false)

test.each<[string, (() => unknown)[], number, string]>([
  ['sends no hello', [], 12_000, 'unreachable'],
  ['has loaded and sends no hello', [load], 1500, 'unreachable'],
  ['has loaded again without a hello', [connect, load, becomeReady, load], 1500, 'connection_lost'],
  ['is not ready', [connect, startPaying], 20_000, 'unreachable'],
  ['is cached and does not respond', [connect, becomeReady, showCached], 5000, 'connection_lost'],
])('a page that %s fails', (_, acts, time, code) => {
  for (const act of acts) act()
  log = []
  isHidden = true
  vi.advanceTimersByTime(time)
  isHidden = false
  vi.advanceTimersByTime(time - 1)
  expect(log).toEqual([])
  vi.advanceTimersByTime(1)
  expect(log).toEqual([failed(code)])
})

test.each<[string, (() => unknown)[], object[]]>([
  ['is ready', [becomeReady], [ready]],
  ['is finished', [() => send({ t: 'finish' })], [{ t: 'finish' }]],
  ['responds to a ping', [showCached, pong, becomeReady], [{ sent: { t: 'ping' } }, ready]],
  ['does not come from the cache', [showLoaded, becomeReady], [ready]],
])('a page that %s does not fail', (_, acts, expected) => {
  hello()
  show(true)
  load()
  send({ t: 'ack' })
  log = []
  for (const act of acts) act()
  vi.advanceTimersByTime(60_000)
  expect(log).toEqual(expected)
})

test('a page that loads before its hello does not fail', () => {
  load()
  connect()
  send(ready)
  log = []
  vi.advanceTimersByTime(60_000)
  expect(log).toEqual([])
})

const violation = {
  disposition: 'enforce',
  effectiveDirective: 'frame-src',
  blockedURI: `${origin}/checkout/pi_1`,
}

test.each<[object, boolean]>([
  [violation, true],
  [{ ...violation, blockedURI: origin }, true],
  [{ ...violation, blockedURI: `${origin}.evil.example` }, false],
  [{ ...violation, disposition: 'report' }, false],
  [{ ...violation, effectiveDirective: 'script-src' }, false],
])('the violation %j of a policy fails: %s', (fields, fails) => {
  const violate = (): unknown => {
    const event = new Event('securitypolicyviolation', { bubbles: true })
    return document.dispatchEvent(Object.assign(event, fields))
  }
  violate()
  expect(log).toEqual(fails ? [failed('blocked_by_csp')] : [])
  if (fails) return
  hello()
  Object.assign(fields, violation)
  violate()
  expect(log).toEqual([{ t: 'hello' }])
})

test('follows the height of its page, and shrinks later', () => {
  const height = (): string => session.frame.style.getPropertyValue('--frame-height')
  const request = (h: number, time = 0): string => {
    send({ t: 'size', h })
    vi.advanceTimersByTime(time)
    return height()
  }
  connect()
  expect([request(400), request(401, 150), request(402)]).toEqual(['400px', '400px', '402px'])
  expect([request(300, 149), request(350, 149), request(350, 150)]).toEqual([
    '402px',
    '402px',
    '350px',
  ])
})

test('stops to grow with a page that follows its height', () => {
  connect()
  for (let h = 400; h < 4000; h += 100) send({ t: 'size', h })
  expect(session.frame.style.getPropertyValue('--frame-height')).toBe('1500px')
})
