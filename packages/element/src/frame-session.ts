/**
 * One mounted frame: handshake, port and timers, from its creation until it ends.
 *
 * The page says `hello` on the window; its exact origin is answered with a port; the secret crosses
 * that port alone, after the page has acknowledged it. Everything hangs on one `AbortController`.
 *
 * @module
 */
import {
  type FromElement,
  type FromFrame,
  failCodes,
  type Hello,
  type Init,
  PROTOCOL,
  readFromFrame,
  readHello,
} from '@pi-checkout/contract/frame-protocol'
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { CheckoutErrorCode } from './errors.ts'
import { FrameHeight } from './frame-height.ts'

/** What a session tells its element. After `fail` it has ended and is silent. */
export type SessionNews =
  /** The page, or a reloaded one, shakes hands: the form is not usable now. */
  | { readonly t: 'hello' }
  | { readonly t: 'fail'; readonly code: CheckoutErrorCode; readonly test?: true | undefined }
  | Extract<FromFrame, { t: 'ready' | 'busy' | 'leave' | 'finish' | 'cancel' }>

/** What a session needs; `origin` is the checkout's, and `locale` is asked for each time. */
export interface SessionOptions {
  readonly origin: string
  readonly id: string
  readonly secret: string
  readonly locale: () => string
  readonly tell: (news: SessionNews) => void
}

const loadPatience = 1500
const helloPatience = 12_000
const readyPatience = 20_000
const pongPatience = 5000
const helloWindow = 10_000
const helloLimit = 5

// Without the bare `allow-top-navigation` Firefox blocks a redirect after an asynchronous result.
const sandbox = 'allow-scripts allow-same-origin allow-forms allow-top-navigation'

/** One frame and its conversation. It ends once: by itself with `fail`, or by `end()`. */
export class FrameSession implements ReactiveController {
  /** The frame; its attributes and listeners are in place before anybody inserts it. */
  readonly frame: HTMLIFrameElement = document.createElement('iframe')

  readonly #host: ReactiveControllerHost
  readonly #options: SessionOptions
  readonly #life = new AbortController()
  readonly #height = new FrameHeight(this.frame, this.#life.signal)
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #hellos: number[] = []
  #port: MessagePort | undefined
  #acknowledged = false
  /** A `hello` came, and the `load` of the same document is still to come. */
  #greeted = false

  constructor(host: ReactiveControllerHost, options: SessionOptions) {
    this.#host = host
    this.#options = options
    const { frame } = this
    const { signal } = this.#life
    // Not `part.add`, which jsdom does not have.
    frame.setAttribute('part', 'frame')
    frame.inert = true
    frame.referrerPolicy = 'strict-origin'
    // The page keeps nothing, so an isolated page may show it. Chromium alone knows the attribute.
    frame.toggleAttribute('credentialless', !!window.crossOriginIsolated)
    frame.setAttribute('sandbox', sandbox)
    frame.src = `${options.origin}/checkout/${options.id}`
    frame.addEventListener('load', () => this.#loaded(), { signal })
    addEventListener('message', (event) => this.#receive(event), { signal })
    addEventListener('pageshow', ({ persisted }) => persisted && this.#ping(), { signal })
    document.addEventListener('securitypolicyviolation', (event) => this.#blocked(event), {
      signal,
    })
    this.#arm('hello', helloPatience, 'unreachable')
    host.addController(this)
  }

  /** Sends the locale again, if the page listens. */
  configure(): void {
    if (this.#acknowledged) this.#send({ t: 'config', locale: this.#options.locale() })
  }

  /** Removes frame, port, listeners and timers. Nothing is told after it. */
  end(): void {
    this.#life.abort()
    this.#host.removeController(this)
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#port?.close()
    this.frame.remove()
  }

  hostDisconnected(): void {
    this.end()
  }

  /** Trusts a message only from our own frame, at the pinned origin. */
  #receive({ source, origin, data }: MessageEvent<unknown>): void {
    const page = this.frame.contentWindow
    if (!page || source !== page || origin !== this.#options.origin) return
    const hello = readHello(data)
    if (!hello) return
    if (this.#isFlood()) this.#fail('connection_lost')
    else if (hello.v.includes(PROTOCOL)) this.#answer(page, hello)
    else this.#fail('protocol_mismatch')
  }

  #answer(page: Window, { doc }: Hello): void {
    // The `load` of this document may have overtaken its hello; then none is left to wait for.
    this.#greeted = !this.#timers.has('load')
    this.#disarm('load', 'hello', 'pong')
    this.#arm('ready', readyPatience, 'unreachable')
    const init: Init = { pi: 'checkout', t: 'init', v: PROTOCOL, doc }
    page.postMessage(init, this.#options.origin, [this.#openPort()])
    this.#options.tell({ t: 'hello' })
  }

  #isFlood(): boolean {
    const now = performance.now()
    this.#hellos.push(now)
    const oldest = this.#hellos.at(-helloLimit - 1)
    return oldest !== undefined && now - oldest < helloWindow
  }

  /** Closes the port of an older document, so that it can neither be heard nor get the secret. */
  #openPort(): MessagePort {
    this.#port?.close()
    this.#acknowledged = false
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = readFromFrame(data)
      // A message of a port that was closed since may still be queued.
      if (message && port1 === this.#port && !this.#life.signal.aborted) this.#hear(message)
    }
    return port2
  }

  #hear(message: FromFrame): void {
    switch (message.t) {
      case 'fail':
        this.#fail(readFailCode(message.code), message.test)
        break
      case 'ack':
        this.#introduce()
        break
      default:
        if (this.#acknowledged) this.#obey(message)
    }
  }

  #obey(message: Exclude<FromFrame, { t: 'ack' | 'fail' }>): void {
    const { tell } = this.#options
    switch (message.t) {
      case 'size':
        this.#height.want(message.h)
        break
      case 'pong':
        this.#disarm('pong')
        break
      case 'leave':
        tell(message)
        // After the event, so that the page's own guard is gone when the top window moves.
        this.#send({ t: 'left', page: location.href })
        break
      case 'renew':
        this.#authenticate()
        break
      case 'busy':
        tell(message)
        break
      default:
        this.#disarm('ready')
        tell(message)
    }
  }

  #introduce(): void {
    if (this.#acknowledged) return
    this.#acknowledged = true
    this.configure()
    this.#authenticate()
  }

  #authenticate(): void {
    const { id, secret } = this.#options
    this.#send({ t: 'auth', id, secret })
  }

  /** Browsers fire `load` for blocked and refused frames too: it is a sign of failure, or of nothing. */
  #loaded(): void {
    const lost = this.#acknowledged ? 'connection_lost' : 'unreachable'
    if (!this.#greeted) this.#arm('load', loadPatience, lost)
    this.#greeted = false
  }

  /** The page came back from the back/forward cache; the frame in it may be dead. */
  #ping(): void {
    if (!this.#acknowledged) return
    this.#arm('pong', pongPatience, 'connection_lost')
    this.#send({ t: 'ping' })
  }

  #blocked(event: SecurityPolicyViolationEvent): void {
    const { disposition, effectiveDirective, blockedURI } = event
    const { origin } = this.#options
    const ours = blockedURI === origin || blockedURI.startsWith(`${origin}/`)
    if (disposition === 'enforce' && effectiveDirective === 'frame-src' && ours && !this.#port) {
      this.#fail('blocked_by_csp')
    }
  }

  #send(message: FromElement): void {
    this.#port?.postMessage(message)
  }

  #arm(name: string, patience: number, code: CheckoutErrorCode): void {
    this.#disarm(name)
    const ring = (): void => {
      // Browsers slow hidden pages down, which is no fault of the checkout: start over.
      if (document.hidden) this.#arm(name, patience, code)
      else this.#fail(code)
    }
    this.#timers.set(name, setTimeout(ring, patience))
  }

  #disarm(...names: readonly string[]): void {
    for (const name of names) {
      clearTimeout(this.#timers.get(name))
      this.#timers.delete(name)
    }
  }

  #fail(code: CheckoutErrorCode, test?: true): void {
    this.#options.tell({ t: 'fail', code, test })
    this.end()
  }
}

function readFailCode(code: string): CheckoutErrorCode {
  return failCodes.find((known) => known === code) ?? 'internal'
}
