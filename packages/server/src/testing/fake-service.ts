/**
 * A Payment Intents service in memory, behind `fetch`, with faults. For a merchant's tests: without a port.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { type PaymentIntentStatus, phaseOf } from '@pi-checkout/contract/payment-status'
import { type ProblemCode, problemCodes } from '@pi-checkout/contract/problem'
import { type FakeStore, newId, operate, problem } from './fake-operations.ts'

export type { PaymentStoreCase } from './payment-store-cases.ts'
export { paymentStoreCases } from './payment-store-cases.ts'

/** A request that the fake service received. */
export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/** A service in memory. Each fault applies to one of the next requests, in order. */
export interface FakeService {
  /** For `new PaymentIntents(service.options)`. */
  readonly options: {
    readonly apiKey: string
    readonly baseUrl: string
    readonly fetch: typeof globalThis.fetch
  }
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
  /**
   * Returns this status without executing the request.
   *
   * @param options - `code` of the problem.
   * @default code The usual code of this status
   */
  status(status: number, options?: { readonly code?: ProblemCode | undefined }): FakeService
  /**
   * Changes the status of an intent, as a buyer and a bank would.
   *
   * @param id - Of the intent, or of an order: its latest intent.
   * @throws {TypeError} If there is no such intent.
   */
  settle(id: string, status: PaymentIntentStatus): PaymentIntent
}

/**
 * Creates a service without intents.
 *
 * @example
 * const service = fakeService().dropAfterCommit()
 * const intents = new PaymentIntents(service.options)
 */
export function fakeService(): FakeService {
  const apiKey = `${newId('pi_sk_test_', 16)}_${newId('', 36)}`
  const store: FakeStore = { apiKey, intents: new Map(), created: new Map() }
  const requests: FakeRequest[] = []
  const scripts: Script[] = []

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const script = scripts.shift() ?? operate
    if (script === connectionRefused) return script(request, store)
    requests.push({
      method: request.method,
      path: new URL(request.url).pathname,
      idempotencyKey: request.headers.get('idempotency-key') ?? undefined,
      body: await request.clone().text(),
    })
    return script(request, store)
  }
  const add = (script: Script): FakeService => {
    scripts.push(script)
    return service
  }
  const service: FakeService = {
    options: { apiKey, baseUrl: 'https://fake-service.invalid', fetch },
    requests,
    get intents() {
      return [...store.intents.values()].map(({ clientSecret: _, ...intent }) => intent)
    },
    refuseConnection: () => add(connectionRefused),
    dropBeforeCommit: () => add(droppedBeforeCommit),
    dropAfterCommit: () => add(droppedAfterCommit),
    status: (status, { code } = {}) => add(async () => statusResponse(status, code)),
    settle: (id, status) => settle(store, id, status),
  }
  return service
}

type Script = (request: Request, store: FakeStore) => Promise<Response>

const droppedAfterCommit: Script = async (request, store) => {
  await operate(request, store)
  throw networkError('ECONNRESET')
}

const droppedBeforeCommit: Script = () => Promise.reject(networkError('ECONNRESET'))

const connectionRefused: Script = () => Promise.reject(networkError('ECONNREFUSED'))

function statusResponse(status: number, code: ProblemCode | undefined): Response {
  // The first of 409 is that of a running request.
  const usual = (Object.keys(problemCodes) as ProblemCode[]) // The keys of a closed record.
    .find((candidate) => problemCodes[candidate].status === status)
  const named = code ?? usual
  const response = problem(named ?? 'internal_error')
  // A status without a code, such as 502, is from a proxy.
  const body = named ? response.body : 'Bad gateway'
  return new Response(body, { status, headers: response.headers })
}

function settle(store: FakeStore, id: string, status: PaymentIntentStatus): PaymentIntent {
  const intent =
    store.intents.get(id) ?? [...store.intents.values()].findLast((stored) => stored.orderId === id)
  if (!intent) throw new TypeError('id: must be that of an intent, or of an order that has one.')
  const paid = phaseOf(status) === 'paid'
  const card = { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' }
  const { clientSecret, ...settled } = {
    ...intent,
    status,
    ...(paid ? { paymentMethod: { type: 'card', card }, providerPaymentId: newId('sim_') } : {}),
    updatedAt: new Date().toISOString(),
  }
  store.intents.set(intent.id, { ...settled, clientSecret })
  return settled
}

/** Returns the error of Node's `fetch` without a response. */
function networkError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}
