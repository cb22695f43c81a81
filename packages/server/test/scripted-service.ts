/** An HTTP server that responds according to a script. @module */
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { CreatedPaymentIntent } from '@pi-checkout/contract/payment-intent'
import { startSite } from '@pi-checkout/test-support/sites'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { PaymentIntents, type PaymentIntentsOptions, type PiError } from '../src/index.ts'
import { newIntent } from '../src/testing/fake-operations.ts'
import type { FakeService } from '../src/testing/fake-service.ts'

interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Responds to one request. The last step of a script repeats. */
export type Step = (response: ServerResponse, request: SeenRequest) => void | Promise<void>

/** Serves a fake service over HTTP. `lose` may delay and destroy a response after the request was executed. */
export function listenerOf(
  service: FakeService,
  lose: (response: ServerResponse) => Promise<unknown> = async () => {},
): RequestListener {
  return async (request, response) => {
    const { method = '' } = request
    const headers = request.headers as Record<string, string>
    const body = await text(request)
    const left = new AbortController()
    response.on('close', () => left.abort())
    const init = { method, headers, ...(body && { body }), signal: left.signal }
    const address = `https://fake-service.invalid${request.url}`
    const result = await service.options.fetch(address, init).catch(() => undefined)
    await lose(response)
    if (!result) response.destroy()
    if (!result || response.destroyed) return
    response.writeHead(result.status, Object.fromEntries(result.headers))
    // A body that ends within it destroys the response.
    await pipeline(result.body ?? [], response).catch(() => {})
  }
}

export async function scriptedService(...script: Step[]) {
  const requests: SeenRequest[] = []
  const { origin, close } = await startSite(async (request, response) => {
    const { method = '', url = '', headers } = request
    const received = { method, url, headers, body: await text(request) }
    requests.push(received)
    await script[Math.min(requests.length, script.length) - 1]?.(response, received)
  })
  onTestFinished(close)
  return { url: origin, requests }
}

export async function clientOf(script: Step[], options: PaymentIntentsOptions = {}) {
  const service = await scriptedService(...script)
  return { service, intents: new PaymentIntents({ apiKey, baseUrl: service.url, ...options }) }
}

export function failureOf(call: Promise<unknown>): Promise<PiError> {
  return call.then(
    () => expect.fail('the call succeeded'),
    (error: PiError) => error,
  )
}

/** Lets the clients of a test file retry without a wait: the jitter is as small as it can be. */
export function retryAtOnce(): void {
  beforeAll(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
  afterAll(() => vi.mocked(Math.random).mockRestore())
}

/** The secret of every scripted create: a canary for leaks. */
export const secret = 'pi_scripted_secret_CanaryCanaryCanary'

/** An API key in no real format: the other canary. */
export const apiKey = 'canary-key-of-the-tests'

export const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' } as const

/** A create that succeeded, with the fields of the request. */
export function created(changes: Record<string, unknown> = {}, headers = {}): Step {
  return (response, { body }) =>
    json(response, 201, intentOf({ ...JSON.parse(body), ...changes }), headers)
}

export function retrieved(changes: Record<string, unknown> = {}): Step {
  return (response, { url }) =>
    json(response, 200, intentOf({ id: url.split('/').at(-1), ...order, ...changes }))
}

export function problem(status: number, code: string, headers = {}): Step {
  return (response) => json(response, status, { code, title: code, status }, headers)
}

export const reset: Step = (response) => void response.socket?.resetAndDestroy()

export const silent: Step = () => {}

/** Sends headers and half of a body, then nothing. */
export const stall = half(() => {})

/** Closes the connection within the body. */
export function sever(status = 201): Step {
  return half(({ socket }) => socket?.destroy(), status)
}

function half(end: (response: ServerResponse) => void, status = 201): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '500' })
    response.write('{"id":"pi_', () => end(response))
  }
}

export function html(status = 200): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>Sign in</h1>${secret}`)
  }
}

export function redirect(status: number, location: string): Step {
  return (response) => void response.writeHead(status, { location }).end()
}

/** An intent as our service returns it to a create. */
export function intentOf(
  fields: Partial<Record<keyof CreatedPaymentIntent, unknown>>,
): CreatedPaymentIntent {
  const intent = { ...newIntent(order), id: 'pi_scripted', clientSecret: secret, ...fields }
  return intent as CreatedPaymentIntent // A test may send malformed fields.
}

function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  const ours = { 'request-id': 'req_1', 'payment-intents-profile': 'pi-checkout' }
  response.writeHead(status, { 'content-type': 'application/json', ...ours, ...headers })
  response.end(JSON.stringify(body))
}
