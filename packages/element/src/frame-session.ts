/**
 * One mounted frame, from its creation to its end: handshake, port, and timers.
 *
 * The hosted page sends `hello` to the window. The element answers its exact origin with a port, and sends
 * the secret through that port only, after the page has acknowledged it.
 *
 * @module
 */
import {
  type Appearance,
  type FromElement,
  type FromFrame,
  failCodes,
  type Hello,
  type Init,
  PROTOCOL,
  readFromFrame,
  readHello,
} from '@pi-checkout/contract/frame-protocol'
import { burstOf } from './burst.ts'
import type { CheckoutErrorCode } from './errors.ts'
import { heightOf } from './frame-height.ts'
import type { Handoff } from './handoff.ts'

/** What a session reports to its element. `fail` is the last event. */
export type SessionEvent =
  /** The page, or a reloaded one, starts a handshake: the form is not usable now. */
  | { readonly t: 'hello' }
  | { readonly t: 'fail'; readonly code: CheckoutErrorCode }
  | Extract<FromFrame, { t: 'ready' | 'busy' | 'leave' | 'finish' | 'cancel' }>

export interface SessionOptions {
  /** The checkout's origin. */
  readonly origin: string
  readonly handoff: Handoff
  /** Returns the current locale. */
  readonly locale: () => string
  /** Returns the current appearance. */
  readonly appearance: () => Appearance | null | undefined
  /** Returns why the merchant's server has not confirmed the frame's result. */
  readonly shop: () => 'late' | 'failed' | undefined
  readonly emit: (event: SessionEvent) => void
}

/** How long to wait, in milliseconds: for a `hello` after `load`, and for each of the other messages. */
const timeouts = { load: 1500, hello: 12_000, ready: 20_000, pong: 5000 }

// Without the bare `allow-top-navigation` Firefox blocks a redirect after an asynchronous result.
const sandbox = 'allow-scripts allow-same-origin allow-forms allow-top-navigation'

/** One frame and its messages. It ends once: after `fail`, or by `end()`. */
export class FrameSession {
  /** Attributes and listeners are set before the element inserts it. */
  readonly frame: HTMLIFrameElement = document.createElement('iframe')

  readonly #options: SessionOptions
  readonly #end = new AbortController()
  readonly #setHeight = heightOf(this.frame)
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #isFlood = burstOf(5, 10_000)
  #port: MessagePort | undefined
  #acknowledged = false
  /** What the page has. */
  #look = ''
  #isIsolated = false
  /** A `hello` arrived, and the `load` event of the same document is still to come. */
  #helloFirst = false

  constructor(options: SessionOptions) {
    this.#options = options
    const { frame } = this
    const { signal } = this.#end
    // The hosted page stores nothing, so an isolated page may show it. Only Chromium knows `credentialless`.
    const credentialless = window.crossOriginIsolated
    Object.assign(frame, { inert: true, referrerPolicy: 'strict-origin', credentialless })
    frame.setAttribute('sandbox', sandbox)
    frame.src = `${options.origin}/checkout/${options.handoff.id}`
    frame.addEventListener('load', () => this.#onLoad(), { signal })
    addEventListener('message', (event) => this.#onWindowMessage(event), { signal })
    addEventListener('pageshow', ({ persisted }) => persisted && this.#ping(), { signal })
    addEventListener('securitypolicyviolation', (event) => this.#onViolation(event), { signal })
    this.#startTimer('hello')
    // Only Chromium reports that a policy of isolation blocks the frame.
    if (!('ReportingObserver' in globalThis)) return
    const observer = new ReportingObserver(() => (this.#isIsolated = true), { types: ['coep'] })
    observer.observe()
    signal.addEventListener('abort', () => observer.disconnect())
  }

  /** Sends what the page does not have, once it has acknowledged the port. */
  configure(): void {
    const { locale, appearance, shop } = this.#options
    const config = {
      locale: locale(),
      // As text, because a port does not accept the proxies that frameworks make of objects.
      appearance: JSON.stringify(appearance()),
      shop: shop(),
    }
    const look = JSON.stringify(config)
    if (!this.#acknowledged || look === this.#look) return
    this.#look = look
    this.#send({ t: 'config', ...config })
  }

  /** Ends port, listeners, and timers. No event follows. The element removes the frame. */
  end(): void {
    this.#end.abort()
    this.#stopTimers(...this.#timers.keys())
    this.#port?.close()
  }

  /** Trusts only messages from this frame at the checkout's origin. */
  #onWindowMessage({ source, origin, data }: MessageEvent<unknown>): void {
    const page = this.frame.contentWindow
    if (!page || source !== page || origin !== this.#options.origin) return
    const hello = readHello(data)
    if (!hello) return
    if (this.#isFlood()) this.#fail('connection_lost')
    else if (hello.v.includes(PROTOCOL)) this.#connect(page, hello)
    else this.#fail('protocol_mismatch')
  }

  #connect(page: Window, { doc }: Hello): void {
    // If the `load` event of this document came before its hello, its timer is running.
    this.#helloFirst = !this.#timers.has('load')
    this.#stopTimers('load', 'hello', 'pong')
    this.#startTimer('ready')
    // An older document must neither be read nor receive the secret.
    this.#port?.close()
    this.#acknowledged = false
    this.#look = ''
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = readFromFrame(data)
      // A message of a closed port may still be queued.
      if (message && port1 === this.#port && !this.#end.signal.aborted) this.#onMessage(message)
    }
    const init: Init = { pi: 'checkout', t: 'init', v: PROTOCOL, doc }
    page.postMessage(init, this.#options.origin, [port2])
    this.#options.emit({ t: 'hello' })
  }

  #onMessage(message: FromFrame): void {
    if (message.t === 'fail') {
      const code = failCodes.find((known) => known === message.code)
      this.#fail(code ?? 'internal')
    } else if (this.#acknowledged) this.#handle(message)
    else if (message.t === 'ack') {
      this.#acknowledged = true
      this.configure()
      this.#authenticate()
    }
  }

  #handle(message: Exclude<FromFrame, { t: 'fail' }>): void {
    switch (message.t) {
      case 'ack':
        break
      case 'size':
        this.#setHeight(message.h)
        break
      case 'pong':
        this.#stopTimers('pong')
        break
      case 'renew':
        this.#authenticate()
        break
      case 'leave':
        this.#options.emit(message)
        // After the event, in which the page removes its `beforeunload` handler.
        this.#send({ t: 'left', page: location.href })
        break
      default:
        if (message.t !== 'busy') this.#stopTimers('ready')
        this.#options.emit(message)
    }
  }

  #authenticate(): void {
    const { id, clientSecret } = this.#options.handoff
    this.#send({ t: 'auth', id, secret: clientSecret })
  }

  /** Browsers fire `load` for blocked and failed frames too: only the missing `hello` shows a failure. */
  #onLoad(): void {
    if (!this.#helloFirst) this.#startTimer('load')
    this.#helloFirst = false
  }

  /** The page came from the back/forward cache: the document in its frame may have ended. */
  #ping(): void {
    if (!this.#acknowledged) return
    this.#startTimer('pong')
    this.#send({ t: 'ping' })
  }

  #onViolation(event: SecurityPolicyViolationEvent): void {
    const { disposition, effectiveDirective, blockedURI } = event
    const { origin } = this.#options
    // Browsers report an origin without a path, or the whole address.
    const isOurs = `${blockedURI}/`.startsWith(`${origin}/`)
    if (disposition === 'enforce' && effectiveDirective === 'frame-src' && isOurs && !this.#port) {
      this.#fail('blocked_by_csp')
    }
  }

  /** Why the frame has no page, as far as this page can tell. */
  get #obstacle(): CheckoutErrorCode {
    try {
      if (top?.location.href && !this.#isIsolated) return 'unreachable'
      return 'cross_origin_isolated'
    } catch {
      return 'foreign_frame'
    }
  }

  #send(message: FromElement): void {
    this.#port?.postMessage(message)
  }

  #startTimer(name: keyof typeof timeouts): void {
    this.#stopTimers(name)
    const onTimeout = (): void => {
      // Browsers slow hidden pages down, which is not a failure of the checkout: start again.
      if (document.hidden) this.#startTimer(name)
      else if (this.#acknowledged && name !== 'ready') this.#fail('connection_lost')
      else this.#fail(this.#port ? 'unreachable' : this.#obstacle)
    }
    this.#timers.set(name, setTimeout(onTimeout, timeouts[name]))
  }

  #stopTimers(...names: readonly string[]): void {
    for (const name of names) {
      clearTimeout(this.#timers.get(name))
      this.#timers.delete(name)
    }
  }

  #fail(code: CheckoutErrorCode): void {
    this.#options.emit({ t: 'fail', code })
    this.end()
  }
}
