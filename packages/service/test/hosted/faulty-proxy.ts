/** A proxy between the hosted page and the service that fails as networks, load balancers, and firewalls do. @module */

import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSite } from '@pi-checkout/test-support/sites'

/** How one request fails; `after` means that the service has processed it. */
export const faults = [
  'silence',
  'silence-after',
  'late',
  'cut',
  'cut-after',
  'half',
  'bad-gateway',
  'bad-gateway-after',
  'forbidden',
] as const

export type Fault = (typeof faults)[number]

/** One request of the private API, by the path below `/checkout-api/`. */
export interface Call {
  readonly path: string
  /** Id of the intent that it is about. */
  readonly intent: string
  readonly body: string
  readonly fault: Fault | undefined
}

export interface FaultyProxy {
  readonly port: number
  /** Every call so far. */
  readonly calls: readonly Call[]
  /** Returns the fault for a call. */
  decide: (path: string, intent: string) => Fault | undefined
  /** Milliseconds in which the page's clock advances by one second. */
  readonly second: number
  /** Starts to forward requests. */
  serve(target: string): void
  close(): Promise<void>
}

/**
 * Listens on a free port of loopback.
 *
 * @param speed - How many times faster than real time the page's clock runs; long polls end accordingly.
 */
export async function startFaultyProxy(speed: number): Promise<FaultyProxy> {
  const listener = await startSite()
  const calls: Call[] = []
  const proxy: FaultyProxy = {
    port: listener.port,
    calls,
    decide: () => undefined,
    second: 1000 / speed,
    serve: (target) =>
      listener.serve((request, response) => void handle(target, request, response)),
    close: listener.close,
  }

  async function handle(
    target: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.on('error', () => {})
    try {
      const body = await text(request)
      const { pathname } = new URL(request.url ?? '/', target)
      const [, path] = /^\/checkout-api\/(.+)$/.exec(pathname) ?? []
      const intent = path ? intentOf(request, body) : ''
      const fault = path ? proxy.decide(path, intent) : undefined
      if (path) calls.push({ path, intent, body, fault })
      if (fault === 'late') await sleep(12 * proxy.second)
      if (fault === 'silence') return
      if (fault === 'cut') return void response.destroy()
      if (fault === 'bad-gateway') return reject(response, 502)
      if (fault === 'forbidden') return reject(response, 403)
      const forwarded = await forward(target, { request, body, until: 25 * proxy.second })
      if (fault === 'silence-after') return
      if (fault === 'cut-after') return void response.destroy()
      if (fault === 'bad-gateway-after') return reject(response, 502)
      response.writeHead(forwarded.status, forwarded.headers)
      if (fault !== 'half') return void response.end(forwarded.body)
      response.write(forwarded.body.subarray(0, forwarded.body.length / 2))
      setTimeout(() => response.destroy(), 5)
    } catch {
      response.destroy()
    }
  }

  return proxy
}

/** Sends the response of a load balancer or a firewall. */
function reject(response: ServerResponse, status: number): void {
  response
    .writeHead(status, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ type: 'about:blank', title: 'Rejected by a proxy', status }))
}

interface ForwardedResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Forwards a request. A long poll becomes short ones, so that it ends by the page's clock. */
async function forward(
  target: string,
  {
    request,
    body,
    until,
  }: { readonly request: IncomingMessage; readonly body: string; readonly until: number },
): Promise<ForwardedResponse> {
  const url = new URL(request.url ?? '/', target)
  const version = url.searchParams.get('waitForVersion')
  url.searchParams.delete('waitForVersion')
  const end = performance.now() + until
  for (;;) {
    const forwarded = await send(url, request, body)
    if (version === null || forwarded.status !== 200 || performance.now() > end) return forwarded
    if (Number(JSON.parse(forwarded.body.toString()).version) >= Number(version)) return forwarded
    if (request.destroyed && !request.complete) return forwarded
    await sleep(20)
  }
}

async function send(
  url: URL,
  { method = 'GET', headers: sentHeaders }: IncomingMessage,
  body: string,
): Promise<ForwardedResponse> {
  const sent = httpRequest(url, { method, headers: { ...sentHeaders, connection: 'close' } })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { connection: _, 'keep-alive': __, ...headers } = response.headers
  return { status: response.statusCode ?? 502, headers, body: await buffer(response) }
}

/** The intent that a call is about: its id is in the body, or signed into the session. */
function intentOf({ headers }: IncomingMessage, body: string): string {
  const [, claims = ''] = (headers.authorization ?? '').split('.')
  if (claims) return JSON.parse(Buffer.from(claims, 'base64url').toString()).sub
  return body ? (JSON.parse(body).id ?? '') : ''
}
