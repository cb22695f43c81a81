/**
 * A Payment Intents service in memory behind `fetch`, and a network that fails as you say.
 *
 * For a merchant's own tests: no port, no waiting, and proof in ten lines that a retry of theirs makes
 * no second intent.
 *
 * @module
 */

import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { type ProblemCode, problemCodes } from '@pi-checkout/contract/problem'
import { type PaymentIntentStatus, phaseOf } from '@pi-checkout/contract/spec-decisions'
import { common, type FakeStore, newId, operate, problem } from './fake-operations.ts'

/** One request as the fake service saw it. */
export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/** Settings of a fake service. */
export interface FakeServiceOptions {
  /** Milliseconds since 1970. Default: the real time. Share it with the client: see `fakeTime()`. */
  readonly clock?: (() => number) | undefined
}

/** The status that a fault answers with, and when to come back. */
export interface FaultAnswer {
  /** Default: the code that usually has this status. */
  readonly code?: ProblemCode | undefined
  /** Seconds, or an HTTP date. */
  readonly retryAfter?: number | string | undefined
}

/** A service and the means to make it fail. Faults apply to the next requests, one each, in order. */
export interface FakeService {
  /** What a client needs: `new PaymentIntents(service.options)`. */
  readonly options: {
    readonly apiKey: string
    readonly baseUrl: string
    readonly fetch: typeof globalThis.fetch
  }
  readonly fetch: typeof globalThis.fetch
  /** Every request that arrived, in order. */
  readonly requests: readonly FakeRequest[]
  /** Every intent that exists, without secrets. */
  readonly intents: readonly PaymentIntent[]
  /** The service does the work, and the connection is reset before the answer. */
  dropAfterCommit(): FakeService
  /** The connection is reset before any work is done. */
  dropBeforeCommit(): FakeService
  /** The next request finds nobody: nothing is sent. */
  refuseConnection(): FakeService
  /** The next `count` requests find the first one with their key still running: 409. */
  inFlight(count: number): FakeService
  /** The service does the work, and the body stops in its middle for ever. */
  stallBody(): FakeService
  /** The service does the work, and the connection breaks in the middle of the body. */
  severBody(): FakeService
  /** The service does no work and answers with this status. */
  status(status: number, answer?: FaultAnswer): FakeService
  /** Something else answers, with HTML and 200. */
  html200(): FakeService
  /**
   * Moves the newest intent of an order, as the buyer and the bank would.
   *
   * @throws {TypeError} No intent was made for this order.
   */
  settle(orderId: string, status: PaymentIntentStatus): PaymentIntent
}

/** Makes a service without intents. */
export function fakeService({ clock = Date.now }: FakeServiceOptions = {}): FakeService {
  const apiKey = newId('fake-key-')
  const store: FakeStore = { apiKey, clock, intents: new Map(), created: new Map() }
  const requests: FakeRequest[] = []
  const faults: Fault[] = []

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const fault = faults.shift()
    if (fault === refused) throw lost('ECONNREFUSED')
    const copy = request.clone()
    requests.push(await seen(request))
    return fault ? fault(copy, store) : operate(copy, store)
  }
  const then = (...next: Fault[]): FakeService => {
    faults.push(...next)
    return service
  }
  const service: FakeService = {
    options: { apiKey, baseUrl: 'https://fake-service.invalid', fetch },
    fetch,
    requests,
    get intents() {
      return [...store.intents.values()].map(({ clientSecret: _, ...intent }) => intent)
    },
    dropAfterCommit: () => then(droppedAfter),
    dropBeforeCommit: () => then(droppedBefore),
    refuseConnection: () => then(refused),
    inFlight: (count) => then(...Array.from({ length: count }, () => running)),
    stallBody: () => then(stalled),
    severBody: () => then(severed),
    status: (status, answer = {}) => then(async () => statusAnswer(status, answer)),
    html200: () => then(html),
    settle: (orderId, status) => settle(store, orderId, status),
  }
  return service
}

/** A clock that moves only when somebody sleeps, and chance without chance: tests that never wait. */
export interface FakeTime {
  /** Milliseconds of every sleep so far. */
  readonly waits: readonly number[]
  readonly clock: () => number
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** Makes such a time, to be spread into a client's options. `start` is milliseconds since 1970. */
export function fakeTime(start = Date.UTC(2026, 0, 1)): FakeTime {
  const waits: number[] = []
  let now = start
  return {
    waits,
    clock: () => now,
    random: () => 0.5,
    sleep: async (ms) => {
      waits.push(ms)
      now += ms
    },
  }
}

type Fault = (request: Request, store: FakeStore) => Promise<Response>

const droppedAfter: Fault = async (request, store) => {
  await operate(request, store)
  throw lost('ECONNRESET')
}

const droppedBefore: Fault = async () => {
  throw lost('ECONNRESET')
}

const refused: Fault = async () => {
  throw lost('ECONNREFUSED')
}

const running: Fault = async () =>
  problem('idempotency_key_in_use', { headers: { 'retry-after': '1' } })

const stalled: Fault = async (request, store) => {
  const response = await operate(request, store)
  const half = await firstHalf(response)
  const { signal } = request
  return broken(response, (controller) => {
    controller.enqueue(half)
    signal.addEventListener('abort', () => controller.error(signal.reason), { once: true })
  })
}

const severed: Fault = async (request, store) => {
  const response = await operate(request, store)
  const half = await firstHalf(response)
  let sent = false
  return broken(response, undefined, (controller) => {
    if (sent) return controller.error(lost('UND_ERR_SOCKET'))
    sent = true
    controller.enqueue(half)
  })
}

const html: Fault = async () =>
  new Response('<!doctype html><title>Sign in</title>', {
    headers: { ...common(), 'content-type': 'text/html' },
  })

function statusAnswer(status: number, { code, retryAfter }: FaultAnswer): Response {
  const usual = (Object.keys(problemCodes) as ProblemCode[]) // The keys of a closed record.
    .find((known) => problemCodes[known].status === status)
  const named = code ?? (status === 409 ? 'idempotency_key_in_use' : usual)
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  const answer = problem(named ?? 'internal_error', { headers })
  // A status that no code has, such as 502, comes from a proxy: without a problem.
  const body = named ? answer.body : 'Bad gateway'
  return new Response(body, { status, headers: answer.headers })
}

function settle(store: FakeStore, orderId: string, status: PaymentIntentStatus): PaymentIntent {
  const intent = [...store.intents.values()].findLast((known) => known.orderId === orderId)
  if (!intent) throw new TypeError('orderId: no intent was made for this order')
  const paid = phaseOf(status) === 'paid'
  const card = { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' }
  const { clientSecret, ...moved } = {
    ...intent,
    status,
    ...(paid ? { paymentMethod: { type: 'card', card }, providerPaymentId: newId('sim_') } : {}),
    updatedAt: new Date(store.clock()).toISOString(),
  }
  store.intents.set(intent.id, { ...moved, clientSecret })
  return moved
}

async function seen(request: Request): Promise<FakeRequest> {
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

function broken(
  { status, headers }: Response,
  start?: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
  pull?: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
): Response {
  const source = { ...(start ? { start } : {}), ...(pull ? { pull } : {}) }
  return new Response(new ReadableStream<Uint8Array>(source), { status, headers })
}

/** What Node's fetch throws when there is no answer. */
function lost(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}
