/** A buyer's browser at the shop: redirects, forged amounts, time limits, and a log of each response. @module */
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
  readonly onResponse: (response: Omit<ResponseEvent, 'type' | 'isHandoff'>) => void
}

export class Browser implements AdapterBuyer {
  readonly name: string
  forgery: Forgery | undefined
  readonly #options: BrowserOptions
  readonly #http: HttpBuyer

  constructor(options: BrowserOptions) {
    this.name = options.name
    this.#options = options
    this.#http = new HttpBuyer(options)
  }

  async fetch(path: string, init: BuyerRequest = {}): Promise<Response> {
    const { headers = {} } = init
    let { body } = init
    let method = init.method ?? (body === undefined ? 'GET' : 'POST')
    let url = new URL(path, this.#options.origin)
    if (this.forgery) {
      forgeAddress(url, this.forgery)
      body = forgeBody(body, this.forgery)
    }
    for (let hops = 0; ; hops++) {
      const sent = { method, headers, ...(body !== undefined && { body }) }
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
    const { origin } = this.#options
    const sent = request(origin + path, {
      method: 'POST',
      agent: false,
      headers: {
        origin,
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
  }

  async #send(url: URL, init: BuyerRequest & { readonly method: string }): Promise<Response> {
    const path = url.pathname + url.search
    // A killed shop leaves no half-open connection for the next request.
    const headers = { 'accept-encoding': 'identity', connection: 'close', ...init.headers }
    try {
      const { response, body } = await within(longestRequest, async (signal) => {
        const received = await this.#http.send(path, { ...init, headers, signal })
        return { response: received, body: await received.clone().text() }
      })
      const head = [...response.headers].map((header) => header.join(': ')).join('\n')
      this.#options.onResponse({ method: init.method, path, head, body })
      return response
    } catch (error) {
      const isLost = error instanceof DOMException || (error instanceof Error && 'cause' in error)
      if (!isLost) throw error
      return Response.error()
    }
  }
}
