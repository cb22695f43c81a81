/**
 * A proxy between the hosted page and the service that fails as networks, balancers and firewalls do.
 *
 * @module
 */
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSite } from '@pi-checkout/test-support/sites'

/** What can go wrong with one request; in the names, `after` means: the service has done its work. */
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
  /** Decides what happens to a call; by default nothing goes wrong. */
  decide: (path: string, intent: string) => Fault | undefined
  /** Milliseconds that pass while the page's clock says 1 s. */
  readonly second: number
  /** Starts to pass requests on. */
  serve(target: string): void
  close(): Promise<void>
}

/**
 * Listens on a free port of loopback.
 *
 * @param speed How many times as fast as ours the page's clock runs; long polls end accordingly.
 */
export async function startFaultyProxy(speed: number): Promise<FaultyProxy> {
  const listener = await startSite()
  const calls: Call[] = []
  const proxy: FaultyProxy = {
    port: listener.port,
    calls,
    decide: () => undefined,
    second: 1000 / speed,
    serve: (target) => listener.serve((request, response) => void pass(target, request, response)),
    close: listener.close,
  }

  async function pass(
    target: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.on('error', () => {})
    try {
      const body = await textOf(request)
      const { pathname } = new URL(request.url ?? '/', target)
      const [, path] = /^\/checkout-api\/(.+)$/.exec(pathname) ?? []
      const intent = path ? intentOf(request, body) : ''
      const fault = path ? proxy.decide(path, intent) : undefined
      if (path) calls.push({ path, intent, body, fault })
      if (fault === 'late') await sleep(12 * proxy.second)
      if (fault === 'silence') return
      if (fault === 'cut') return void response.destroy()
      if (fault === 'bad-gateway') return refuse(response, 502)
      if (fault === 'forbidden') return refuse(response, 403)
      const answer = await answerOf(target, { request, body, until: 25 * proxy.second })
      if (fault === 'silence-after') return
      if (fault === 'cut-after') return void response.destroy()
      if (fault === 'bad-gateway-after') return refuse(response, 502)
      response.writeHead(answer.status, answer.headers)
      if (fault !== 'half') return void response.end(answer.body)
      response.write(answer.body.subarray(0, answer.body.length / 2))
      setTimeout(() => response.destroy(), 5)
    } catch {
      response.destroy()
    }
  }

  return proxy
}

/** What a balancer or a firewall says; none of it comes from the service. */
function refuse(response: ServerResponse, status: number): void {
  response
    .writeHead(status, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ type: 'about:blank', title: 'Refused on the way', status }))
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Sends a request on. A long poll becomes short ones, so that it ends by the page's clock. */
async function answerOf(
  target: string,
  {
    request,
    body,
    until,
  }: { readonly request: IncomingMessage; readonly body: string; readonly until: number },
): Promise<Answer> {
  const url = new URL(request.url ?? '/', target)
  const version = url.searchParams.get('waitForVersion')
  url.searchParams.delete('waitForVersion')
  const end = performance.now() + until
  for (;;) {
    const answer = await exchange(url, request, body)
    if (version === null || answer.status !== 200 || performance.now() > end) return answer
    if (Number(JSON.parse(answer.body.toString()).version) >= Number(version)) return answer
    if (request.destroyed && !request.complete) return answer
    await sleep(20)
  }
}

async function exchange(url: URL, request: IncomingMessage, body: string): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const { method = 'GET', headers } = request
    const sent = ask(url, { method, headers: { ...headers, connection: 'close' } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const { connection: _, 'keep-alive': __, ...kept } = answer.headers
        resolve({ status: answer.statusCode ?? 502, headers: kept, body: Buffer.concat(chunks) })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

/** The intent that a call is about: its id is in the body, or signed into the session. */
function intentOf({ headers }: IncomingMessage, body: string): string {
  const [, claims = ''] = (headers.authorization ?? '').split('.')
  if (claims) return JSON.parse(Buffer.from(claims, 'base64url').toString()).sub
  return body ? (JSON.parse(body).id ?? '') : ''
}
