/** A buyer's browser at the shop: its cookies, and a record of its requests. @module */
import { connect } from 'node:net'
import type { AdapterBuyer, BuyerRequest } from './adapter.ts'
import type { RecordedRequest } from './exploration.ts'
import { type Forgery, forgeAddress, forgeBody } from './forgery.ts'
import { within } from './within.ts'

/** Longest time of a request to the shop, in milliseconds. */
const longestRequest = 20_000

export interface Received {
  readonly head: string
  readonly body: string
}

const nothing: Received = { head: '', body: '' }

export interface BuyerOptions {
  readonly name: string
  readonly origin: string
  /** Returns the origin of the instance that gets the next request. */
  readonly address: () => string
  /** When the search ends: a value of `performance.now()`. */
  readonly endsAt: number
  /** Gets each response of the shop with its body. */
  readonly onResponse: (request: Omit<RecordedRequest, 'times'>, received: Received) => void
}

interface SentRequest {
  readonly method: string
  readonly headers: BuyerRequest['headers']
  readonly body: BuyerRequest['body']
}

export class Buyer implements AdapterBuyer {
  readonly name: string
  readonly #options: BuyerOptions
  readonly #cookies = new Map<string, string>()
  /** Whether the page is open, in at least one tab. */
  isOnPage = false
  /** The order that the page sends, if the adapter has named one. */
  orderId: string | undefined
  /** Increases when the shop has said paid: the buyer then buys something else. */
  purchase = 1
  forgery: Forgery | undefined

  constructor(options: BuyerOptions) {
    this.name = options.name
    this.#options = options
  }

  async fetch(path: string, init: BuyerRequest = {}): Promise<Response> {
    const { headers } = init
    let { body } = init
    let method = init.method ?? (body === undefined ? 'GET' : 'POST')
    let url = new URL(path, this.#options.origin)
    if (this.forgery) {
      forgeAddress(url, this.forgery)
      body = forgeBody(body, this.forgery)
    }
    for (let hops = 0; ; hops++) {
      const response = await this.#send(url, { method, headers, body })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || !location || hops === 10)
        return response
      url = new URL(location, url)
      if (url.origin !== this.#options.origin) return response
      if (response.status < 307) {
        method = 'GET'
        body = undefined
      }
    }
  }

  /** Sends a request, and leaves before its body is complete or before the response has arrived. */
  async leave(path: string, body: string, isHalf: boolean): Promise<void> {
    const { hostname, port } = new URL(this.#options.address())
    const { host } = new URL(this.#options.origin)
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}`,
      `Origin: ${this.#options.origin}`,
      `Cookie: ${this.#cookie}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length + (isHalf ? 9 : 0)}`,
    ]
    await new Promise<void>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => {
        socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
          // The shop has read the request by then, and works on it.
          setTimeout(() => socket.resetAndDestroy(), 25)
        })
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
    const status = 0
    this.#options.onResponse({ buyer: this.name, method: 'POST', path, status }, nothing)
  }

  get #timeout(): number {
    const left = Math.max(0, this.#options.endsAt - performance.now())
    return Math.ceil(Math.min(longestRequest, left))
  }

  get #cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async #send(url: URL, { method, headers, body }: SentRequest): Promise<Response> {
    const isForm = body instanceof URLSearchParams
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const path = url.pathname + url.search
    const request = { buyer: this.name, method, path }
    try {
      const { response, text } = await within(this.#timeout, async (signal) => {
        const received = await fetch(this.#options.address() + path, {
          method,
          headers: {
            origin: this.#options.origin,
            'sec-fetch-site': 'same-origin',
            'accept-encoding': 'identity',
            // A killed shop leaves no half-open connection for the next request.
            connection: 'close',
            cookie: this.#cookie,
            ...(body !== undefined && { 'content-type': type }),
            ...headers,
          },
          redirect: 'manual',
          signal,
          ...(body !== undefined && { body: String(body) }),
        })
        return { response: received, text: await received.clone().text() }
      })
      for (const line of response.headers.getSetCookie()) this.#keep(line)
      const { status } = response
      const head = [...response.headers].map((header) => header.join(': ')).join('\n')
      this.#options.onResponse({ ...request, status }, { head, body: text })
      return response
    } catch (error) {
      const isLost = error instanceof DOMException || (error instanceof Error && 'cause' in error)
      if (!isLost) throw error
      this.#options.onResponse({ ...request, status: 0 }, nothing)
      return Response.error()
    }
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
    const isDeleted = /;\s*max-age=(?:0|-\d+)\s*(?:;|$)/i.test(line) || value === ''
    if (isDeleted) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}
