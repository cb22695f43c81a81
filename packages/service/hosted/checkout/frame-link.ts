/** The hosted page's side of the frame protocol: a handshake with a registered parent, then one port. @module */
import {
  type FromElement,
  type FromFrame,
  type Hello,
  PROTOCOL,
  readFromElement,
  readInit,
} from '@pi-checkout/contract/frame-protocol'

/** @param origin - The parent's registered origin, as the browser reports it. */
export type OnMessage = (message: FromElement, origin: string) => void

/** The connection to the shop: through the element around this page, or of a page by itself. */
export interface PageLink {
  /** Sends a message to the shop's page, if its origin was accepted. */
  send(message: FromFrame): void
  /** Sends a message and waits for the reply: `undefined` after 10 seconds, which a busy page may take. */
  request<T extends FromElement['t']>(
    message: FromFrame,
    type: T,
  ): Promise<Extract<FromElement, { t: T }> | undefined>
  /** Sends the last message of this page. */
  fail(code: string): void
}

/** The connection to the element around this page. It sends nothing before the handshake and after `fail`. */
export class FrameLink implements PageLink {
  readonly #doc = randomDocumentId()
  readonly #origins: ReadonlySet<string>
  readonly #onMessage: OnMessage
  readonly #rejection: string
  /** Pending requests, by the type of the reply. */
  readonly #pending = new Map<string, (message: FromElement) => void>()
  #port: MessagePort | undefined

  /**
   * @param origins - The registered origins that the service wrote into this page.
   * @param rejection - The code that a page of another origin gets.
   */
  constructor(
    origins: ReadonlySet<string>,
    onMessage: OnMessage,
    rejection = 'origin_not_allowed',
  ) {
    this.#origins = origins
    this.#onMessage = onMessage
    this.#rejection = rejection
  }

  /** Starts the handshake. `hello` contains no data, so any parent may receive it. */
  start(): void {
    window.addEventListener('message', this.#authenticate)
    const hello: Hello = { pi: 'checkout', t: 'hello', v: [PROTOCOL], doc: this.#doc }
    window.parent.postMessage(hello, '*')
  }

  send(message: FromFrame): void {
    this.#port?.postMessage(message)
  }

  async request<T extends FromElement['t']>(
    message: FromFrame,
    type: T,
  ): Promise<Extract<FromElement, { t: T }> | undefined> {
    const reply = await new Promise<FromElement | undefined>((resolve) => {
      this.#pending.set(type, resolve)
      setTimeout(resolve, replyTimeout)
      this.send(message)
    })
    this.#pending.delete(type)
    // `#pending` calls it with messages of this type only.
    return reply as Extract<FromElement, { t: T }> | undefined
  }

  fail(code: string): void {
    this.send({ t: 'fail', code })
    // Not closed: a closed port may drop a message that was sent and not received yet.
    this.#port = undefined
  }

  readonly #authenticate = (event: MessageEvent<unknown>): void => {
    if (event.source !== window.parent) return
    const init = readInit(event.data)
    const [port, ...others] = event.ports
    if (init?.doc !== this.#doc || init.v !== PROTOCOL || !port || others.length > 0) return
    window.removeEventListener('message', this.#authenticate)
    this.#port = port
    if (!this.#origins.has(event.origin)) {
      this.fail(this.#rejection)
      return
    }
    port.onmessage = ({ data }) => {
      const message = readFromElement(data)
      if (!message || !this.#port) return
      const onReply = this.#pending.get(message.t)
      if (onReply) onReply(message)
      else this.#onMessage(message, event.origin)
    }
    this.send({ t: 'ack' })
  }
}

const replyTimeout = 10_000

/** Returns 128 random bits that distinguish this document from earlier ones in the same iframe. */
function randomDocumentId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
