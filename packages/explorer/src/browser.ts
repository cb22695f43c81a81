/** A buyer's browser at the shop: redirects, forged amounts, time limits, and a report of each response. @module */
import { request } from 'node:http'
import { HttpBuyer } from '@pi-checkout/test-support/http-buyer'
import type { AdapterBuyer, BuyerRequest } from './adapter.ts'
import type { ResponseEvent } from './events.ts'
import { type Forgery, forgeAddress, forgeBody } from './forgery.ts'
import { within } from './within.ts'

/** Longest time of a request to the shop, in milliseconds. */
const longestRequest = 20_000

export interface BrowserOptions {
  readonly name: string
  readonly origin: string
  /** Returns the origin of the instance that gets the next request. */
  readonly address: () => string
  /** When the search ends: a value of `performance.now()`. */
  readonly endsAt: number
  readonly onResponse: (response: ResponseEvent) => void
}

interface SentRequest extends BuyerRequest {
  readonly method: string
  readonly isOfBuyer: boolean
}

export class Browser implements AdapterBuyer {
  readonly name: string
  /** The same cookies, for an adapter that reads the shop's records: its requests are not the buyer's. */
  readonly reader: AdapterBuyer
  forgery: Forgery | undefined
  readonly #options: BrowserOptions
  readonly #http: HttpBuyer

  constructor(options: BrowserOptions) {
    this.name = options.name
    this.#options = options
    this.#http = new HttpBuyer(options)
    this.reader = { name: this.name, fetch: (path, init) => this.#follow(path, init, false) }
  }

  fetch(path: string, init?: BuyerRequest): Promise<Response> {
    return this.#follow(path, init, true)
  }

  async #follow(path: string, init: BuyerRequest = {}, isOfBuyer: boolean): Promise<Response> {
    const { headers = {} } = init
    let { body } = init
    let method = init.method ?? (body === undefined ? 'GET' : 'POST')
    let url = new URL(path, this.#options.origin)
    if (this.forgery) {
      forgeAddress(url, this.forgery)
      body = forgeBody(body, this.forgery)
    }
    for (let hops = 0; ; hops++) {
      const sent = { method, headers, isOfBuyer, ...(body !== undefined && { body }) }
      const response = await this.#send(url, sent)
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

  /** Sends JSON, and disconnects before its body is complete or before the response has arrived. */
  async leave(path: string, body: string, isHalf: boolean): Promise<void> {
    const sent = request(this.#options.address() + path, {
      method: 'POST',
      agent: false,
      headers: {
        host: new URL(this.#options.origin).host,
        origin: this.#options.origin,
        cookie: this.#http.cookies,
        'content-type': 'application/json',
        'content-length': body.length + (isHalf ? 9 : 0),
      },
    })
    await new Promise<void>((resolve) => {
      sent.on('error', () => {})
      sent.on('close', resolve)
      // The shop has read the request by then, and works on it.
      sent.write(body, () => setTimeout(() => sent.socket?.resetAndDestroy(), 25))
    })
    this.#report({ method: 'POST', path, isOfBuyer: true }, { status: 0, head: '', body: '' })
  }

  async #send(url: URL, { isOfBuyer, ...init }: SentRequest): Promise<Response> {
    const path = url.pathname + url.search
    const sent = { method: init.method, path, isOfBuyer }
    const left = Math.max(0, this.#options.endsAt - performance.now())
    // A killed shop leaves no half-open connection for the next request.
    const headers = { 'accept-encoding': 'identity', connection: 'close', ...init.headers }
    try {
      const { response, body } = await within(
        Math.ceil(Math.min(longestRequest, left)),
        async (signal) => {
          const received = await this.#http.send(path, { ...init, headers, signal })
          return { response: received, body: await received.clone().text() }
        },
      )
      const head = [...response.headers].map((header) => header.join(': ')).join('\n')
      this.#report(sent, { status: response.status, head, body })
      return response
    } catch (error) {
      const isLost = error instanceof DOMException || (error instanceof Error && 'cause' in error)
      if (!isLost) throw error
      this.#report(sent, { status: 0, head: '', body: '' })
      return Response.error()
    }
  }

  #report(
    sent: Pick<ResponseEvent, 'method' | 'path' | 'isOfBuyer'>,
    received: Pick<ResponseEvent, 'status' | 'head' | 'body'>,
  ): void {
    this.#options.onResponse({ type: 'response', buyer: this.name, ...sent, ...received })
  }
}
