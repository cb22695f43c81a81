/**
 * The hosted page's end of the frame protocol: one handshake, then one port.
 *
 * A message counts only when it comes from our parent, names this document and brings one port; and
 * the port is used only when the parent's origin is registered.
 *
 * @module
 */
import {
  type FromElement,
  type FromFrame,
  type Hello,
  type Init,
  PROTOCOL,
  readFromElement,
  readInit,
} from '@pi-checkout/contract/frame-protocol'

/** A parent whose origin is registered, and the origin that the browser vouches for. */
export type Receive = (message: FromElement, origin: string) => void

/** The way to the element around this page. Silent before the handshake and after `fail`. */
export class ParentLink {
  readonly #doc = randomDocument()
  readonly #origins: ReadonlySet<string>
  readonly #receive: Receive
  /** By type, who waits for a message of the element. */
  readonly #waiting = new Map<string, (message: FromElement) => void>()
  #port: MessagePort | undefined

  /** @param origins The registered origins that the service wrote into this page. */
  constructor(origins: ReadonlySet<string>, receive: Receive) {
    this.#origins = origins
    this.#receive = receive
  }

  /** Starts the handshake. `hello` carries no data, so it may go to any parent. */
  start(): void {
    window.addEventListener('message', this.#meet)
    const hello: Hello = { pi: 'checkout', t: 'hello', v: [PROTOCOL], doc: this.#doc }
    window.parent.postMessage(hello, '*')
  }

  /** Tells the element something; without an accepted parent, nobody. */
  tell(message: FromFrame): void {
    this.#port?.postMessage(message)
  }

  /**
   * Sends a message and waits for its reply.
   *
   * @returns `undefined` if none comes within 10 seconds: a busy page may need as long.
   */
  async ask<T extends FromElement['t']>(
    message: FromFrame,
    type: T,
  ): Promise<Extract<FromElement, { t: T }> | undefined> {
    const reply = await new Promise<FromElement | undefined>((resolve) => {
      this.#waiting.set(type, resolve)
      setTimeout(resolve, longestReply)
      this.tell(message)
    })
    this.#waiting.delete(type)
    return reply && isOfType(reply, type) ? reply : undefined
  }

  /** Gives up: the last message of this page. */
  fail(code: string): void {
    this.tell(failure(code))
    // Not closed: a closed port may drop the message that is still under way.
    this.#port = undefined
  }

  readonly #meet = (event: MessageEvent<unknown>): void => {
    if (event.source !== window.parent) return
    const init = readInit(event.data)
    const [port, ...others] = event.ports
    if (!init || !this.#isMine(init) || !port || others.length > 0) return
    window.removeEventListener('message', this.#meet)
    this.#port = port
    if (!this.#origins.has(event.origin)) {
      this.fail('origin_not_allowed')
      return
    }
    port.onmessage = ({ data }) => {
      const message = readFromElement(data)
      if (!message || !this.#port) return
      const waiting = this.#waiting.get(message.t)
      if (waiting) waiting(message)
      else this.#receive(message, event.origin)
    }
    this.tell({ t: 'ack' })
  }

  #isMine(init: Init): boolean {
    return init.doc === this.#doc && init.v === PROTOCOL
  }
}

/** Why this document gives up. In a test environment the page around it explains it to its developer. */
export function failure(code: string): FromFrame {
  const test = document.documentElement.dataset.mode === 'test' || undefined
  return { t: 'fail', code, test }
}

const longestReply = 10_000

function isOfType<T extends FromElement['t']>(
  message: FromElement,
  type: T,
): message is Extract<FromElement, { t: T }> {
  return message.t === type
}

/** 128 random bits that tell this document from the one before it in the same frame. */
export function randomDocument(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
