/**
 * A Payment Intents service in memory, behind `fetch`, with faults. For a merchant's tests: without a port and without
 * waiting.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { type ProblemCode, problemCodes } from '@pi-checkout/contract/problem'
import { type PaymentIntentStatus, phaseOf } from '@pi-checkout/contract/spec-decisions'
import { optionsWith } from '../client/test-time.ts'
import { type FakeStore, newId, operate, problem } from './fake-operations.ts'

/** A request that the fake service received. */
export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/** Options of `fakeService()`. */
export interface FakeServiceOptions {
  /**
   * Milliseconds since 1970. Share it with the client: see `fakeTime()`.
   * @default Date.now
   */
  readonly clock?: (() => number) | undefined
}

/** Options of the fault `status()`. */
export interface FaultAnswer {
  /**
   * Code of the problem.
   * @default The usual code of this status
   */
  readonly code?: ProblemCode | undefined
  /**
   * `Retry-After`: seconds, or an HTTP date.
   * @default None
   */
  readonly retryAfter?: number | string | undefined
}

/** A service in memory. Each fault applies to one of the next requests, in order. */
export interface FakeService {
  /** For `new PaymentIntents(service.options)`. */
  readonly options: {
    readonly apiKey: string
    readonly baseUrl: string
    readonly fetch: typeof globalThis.fetch
  }
  readonly fetch: typeof globalThis.fetch
  /** All received requests, in order. */
  readonly requests: readonly FakeRequest[]
  /** All intents, without secrets. */
  readonly intents: readonly PaymentIntent[]
  /** Rejects the connection: nothing is sent. */
  refuseConnection(): FakeService
  /** Closes the connection before the request is executed. */
  dropBeforeCommit(): FakeService
  /** Executes the request, then closes the connection. */
  dropAfterCommit(): FakeService
  /** Executes the request, then closes the connection after half of the body. */
  truncateBody(): FakeService
  /** Executes the request, then sends half of the body and nothing more. */
  stallBody(): FakeService
  /** Executes the request, then returns a body that is not JSON. */
  malformedJson(): FakeService
  /** Returns this status without executing the request. */
  status(status: number, options?: FaultAnswer): FakeService
  /**
   * Changes the status of the latest intent of an order, as a buyer and a bank would.
   *
   * @throws {TypeError} If the order has no intent.
   */
  settle(orderId: string, status: PaymentIntentStatus): PaymentIntent
}

/**
 * Creates a service without intents.
 *
 * @param options - See `FakeServiceOptions`.
 * @example
 * const service = fakeService().dropAfterCommit()
 * const intents = new PaymentIntents({ ...service.options, ...fakeTime() })
 */
export function fakeService({ clock = Date.now }: FakeServiceOptions = {}): FakeService {
  const apiKey = newId('fake-key-')
  const store: FakeStore = { apiKey, clock, intents: new Map(), created: new Map() }
  const requests: FakeRequest[] = []
  const scripts: Script[] = []

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const script = scripts.shift()
    if (script === connectionRefused) return script(request, store)
    const copy = request.clone()
    requests.push(await record(request))
    return script ? script(copy, store) : operate(copy, store)
  }
  const add = (script: Script): FakeService => {
    scripts.push(script)
    return service
  }
  const service: FakeService = {
    options: { apiKey, baseUrl: 'https://fake-service.invalid', fetch },
    fetch,
    requests,
    get intents() {
      return [...store.intents.values()].map(({ clientSecret: _, ...intent }) => intent)
    },
    refuseConnection: () => add(connectionRefused),
    dropBeforeCommit: () => add(droppedBeforeCommit),
    dropAfterCommit: () => add(droppedAfterCommit),
    truncateBody: () => add(truncatedBody),
    stallBody: () => add(stalledBody),
    malformedJson: () => add(malformedJson),
    status: (status, options = {}) => add(async () => statusResponse(status, options)),
    settle: (orderId, status) => settle(store, orderId, status),
  }
  return service
}

/** A clock that advances with each wait, without waiting. For the options of `PaymentIntents` and `createHandoff()`. */
export interface FakeTime {
  /** Milliseconds of each wait so far. */
  readonly waits: readonly number[]
  /** Milliseconds since 1970, for `fakeService(time)`. */
  readonly clock: () => number
  /** Advances the clock. */
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Creates a fake clock.
 *
 * @param start - Milliseconds since 1970.
 * @default start 2026-01-01T00:00:00Z
 * @example
 * const intents = new PaymentIntents({ ...service.options, ...fakeTime() })
 */
export function fakeTime(start = Date.UTC(2026, 0, 1)): FakeTime {
  const waits: number[] = []
  let now = start
  const clock = (): number => now
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms)
    now += ms
  }
  return { waits, clock, sleep, ...optionsWith({ clock, random: () => 0.5, sleep }) }
}

type Script = (request: Request, store: FakeStore) => Promise<Response>
type ByteController = ReadableStreamDefaultController<Uint8Array>

const droppedAfterCommit: Script = async (request, store) => {
  await operate(request, store)
  throw networkError('ECONNRESET')
}

const droppedBeforeCommit: Script = async () => {
  throw networkError('ECONNRESET')
}

const connectionRefused: Script = async () => {
  throw networkError('ECONNREFUSED')
}

const stalledBody: Script = async (request, store) => {
  const response = await operate(request, store)
  const half = await firstHalf(response)
  const { signal } = request
  const start = (controller: ByteController): void => {
    controller.enqueue(half)
    signal.addEventListener('abort', () => controller.error(signal.reason), { once: true })
  }
  return new Response(new ReadableStream({ start }), response)
}

const truncatedBody: Script = async (request, store) => {
  const response = await operate(request, store)
  const parts = [await firstHalf(response)]
  const pull = (controller: ByteController): void => {
    const part = parts.pop()
    if (part) controller.enqueue(part)
    else controller.error(networkError('UND_ERR_SOCKET'))
  }
  return new Response(new ReadableStream({ pull }), response)
}

const malformedJson: Script = async (request, store) => {
  const response = await operate(request, store)
  const text = await response.text()
  return new Response(text.replace('"', "'"), response)
}

function statusResponse(status: number, { code, retryAfter }: FaultAnswer): Response {
  // The first of 409 is that of a running request.
  const usual = (Object.keys(problemCodes) as ProblemCode[]) // The keys of a closed record.
    .find((candidate) => problemCodes[candidate].status === status)
  const named = code ?? usual
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  const response = problem(named ?? 'internal_error', { headers })
  // A status without a code, such as 502, is from a proxy.
  const body = named ? response.body : 'Bad gateway'
  return new Response(body, { status, headers: response.headers })
}

function settle(store: FakeStore, orderId: string, status: PaymentIntentStatus): PaymentIntent {
  const intent = [...store.intents.values()].findLast((stored) => stored.orderId === orderId)
  if (!intent) throw new TypeError(`orderId: the order ${JSON.stringify(orderId)} has no intent.`)
  const paid = phaseOf(status) === 'paid'
  const card = { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' }
  const { clientSecret, ...settled } = {
    ...intent,
    status,
    ...(paid ? { paymentMethod: { type: 'card', card }, providerPaymentId: newId('sim_') } : {}),
    updatedAt: new Date(store.clock()).toISOString(),
  }
  store.intents.set(intent.id, { ...settled, clientSecret })
  return settled
}

async function record(request: Request): Promise<FakeRequest> {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    idempotencyKey: request.headers.get('idempotency-key') ?? undefined,
    body: await request.text(),
  }
}

async function firstHalf(response: Response): Promise<Uint8Array> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes.subarray(0, Math.floor(bytes.length / 2))
}

/** Returns the error of Node's `fetch` without a response. */
function networkError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}
