/**
 * The handoff inspector's log, in development only: the requests of each order's handoff.
 *
 * It stores names of fields, never their values, so it cannot show a secret.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestReport } from '@pi-checkout/server'
import type { RequestHandler } from 'express'
import type { TraceStep } from './page-data.ts'

const ordersKept = 100
const stepsKept = 60

/** The steps of one request. Its order is known after the hook has read it. */
interface Exchange {
  orderId: string | undefined
  readonly steps: TraceStep[]
}

export class Trace {
  readonly #steps = new Map<string, TraceStep[]>()
  readonly #exchange = new AsyncLocalStorage<Exchange>()

  /** Returns the steps of an order, the oldest first. */
  stepsOf(orderId: string): readonly TraceStep[] {
    return this.#steps.get(orderId) ?? []
  }

  /** Sets the order of the current request. */
  about(orderId: string): void {
    const exchange = this.#exchange.getStore()
    if (exchange) exchange.orderId = orderId
  }

  /** Called for each request attempt of the helper. */
  readonly onRequest = (attempt: RequestReport): void => {
    const { operation, number, idempotencyKey, status, code, requestId, ms, retryIn } = attempt
    this.#exchange.getStore()?.steps.push({
      at: new Date().toISOString(),
      way: 'shop → service',
      what: operation === 'create' ? 'POST /payment-intents' : 'GET /payment-intents/:id',
      attempt: number,
      key: idempotencyKey,
      status,
      code,
      requestId,
      ms,
      retryIn,
    })
  }

  /** Records one request of a page to the checkout's routes. */
  readonly follow: RequestHandler = (req, res, next) => {
    const began = performance.now()
    const what = `${req.method} ${req.baseUrl}${req.path}`
    const step: TraceStep = { at: new Date().toISOString(), way: 'browser → shop', what }
    const exchange: Exchange = { orderId: undefined, steps: [step] }
    const body = keepBody(res)
    res.once('finish', () => {
      const ms = Math.round(performance.now() - began)
      const { statusCode: status } = res
      const at = new Date().toISOString()
      exchange.steps.push({ at, way: 'shop → browser', what: summary(body()), status, ms })
      this.#keep(exchange)
    })
    this.#exchange.run(exchange, next)
  }

  #keep({ orderId, steps }: Exchange): void {
    if (orderId === undefined) return
    const known = this.#steps.get(orderId) ?? []
    this.#steps.delete(orderId)
    this.#steps.set(orderId, [...known, ...steps].slice(-stepsKept))
    const [oldest] = this.#steps.keys()
    if (oldest !== undefined && this.#steps.size > ordersKept) this.#steps.delete(oldest)
  }
}

function keepBody(res: Parameters<RequestHandler>[1]): () => string {
  const chunks: Buffer[] = []
  const keep = (chunk: unknown): void => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  const { write, end } = res
  res.write = (...args: unknown[]) => {
    keep(args[0])
    return Reflect.apply(write, res, args)
  }
  res.end = (...args: unknown[]) => {
    keep(args[0])
    return Reflect.apply(end, res, args)
  }
  return () => Buffer.concat(chunks).toString()
}

function summary(body: string): string {
  try {
    const response: unknown = JSON.parse(body)
    if (typeof response !== 'object' || response === null) return 'a response'
    if ('phase' in response) return `phase: ${String(response.phase)}`
    if ('code' in response) return `problem: ${String(response.code)}`
    return `the page received: ${Object.keys(response).join(', ')}`
  } catch {
    return 'a response without JSON'
  }
}
