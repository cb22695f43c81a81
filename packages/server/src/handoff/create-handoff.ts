/**
 * The routes that give `{ id, clientSecret }` to the page and return the state of its order.
 *
 * Price and owner come from the shop's `order` hook. No value from a browser becomes an amount.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { phaseOf } from '@pi-checkout/contract/spec-decisions'
import { checkedOrigin } from '../client/configuration.ts'
import type { CreateParams } from '../client/create-params.ts'
import type { Handoff, PaymentIntents } from '../client/payment-intents.ts'
import { callFromRequest, type HandoffCall, type HandoffResult, toResponse } from './call.ts'
import { createHandoffCookie, type HandoffCookie } from './handoff-cookie.ts'
import {
  assertBasePath,
  defaultBasePath,
  type HandoffRoute,
  parseHandoffRequest,
  parseStatusRequest,
  routeMethods,
  routeOf,
} from './parse-request.ts'
import { HandoffRejection, problemResult, publicCode, received } from './problem.ts'
import { type Verdict, verify } from './verify.ts'

/** An order of the shop, as the `order` hook returns it. */
export interface HandoffOrder extends CreateParams {
  /**
   * Number of the intent for this order. `onFailed` raises it, so that the next handoff creates another intent.
   * @default 1
   */
  readonly attempt?: number | undefined
  /**
   * The current intent, as `onIntent` stored it.
   * @default The intent of the cookie, if any
   */
  readonly intentId?: string | null | undefined
  /**
   * Whether the order is paid. Then the status is `paid` without a request, and a handoff is rejected.
   * @default false
   */
  readonly paid?: boolean | undefined
}

/** State of an order, as the page gets it. It is no proof of payment. */
export type HandoffState = Exclude<Verdict, 'mismatch'>

type Awaitable<T> = T | Promise<T>

/** Options of `createHandoff()`. Each hook gets the request of the framework as `context`, its last argument. */
export interface HandoffOptions<Order extends HandoffOrder = HandoffOrder, Context = unknown> {
  /** The client. */
  readonly intents: Pick<PaymentIntents, 'create' | 'retrieve' | 'keyFor'> &
    Partial<Pick<PaymentIntents, 'check'>>
  /** Origin of the shop, such as `https://shop.example`: https, or http on loopback. */
  readonly origin: string
  /**
   * Returns the order, with the shop's price, if the session owns it. Otherwise it returns `undefined`. `orderId` is
   * `undefined` for the current order of the session.
   */
  readonly order: (
    request: Request,
    orderId: string | undefined,
    context: Context,
  ) => Awaitable<Order | undefined>
  /**
   * Returns the session id to which the cookie is bound.
   * @default None: for a shop without sessions
   */
  readonly session?:
    | ((request: Request, context: Context) => Awaitable<string | undefined>)
    | undefined
  /**
   * Stores the id of the intent with the order. Runs before the response.
   * @default None
   */
  readonly onIntent?: Hook<Order, Context> | undefined
  /**
   * Marks the order as paid. Runs at least once for each payment, also concurrently: make it idempotent.
   * @default None
   */
  readonly onPaid?: Hook<Order, Context> | undefined
  /**
   * Removes a failed intent from its order and stores `attempt` plus 1. Runs at least once for each intent, also
   * concurrently: change the order only if its `intentId` is `intent.id`, and compute `attempt` from the given order.
   * @default None
   */
  readonly onFailed?: Hook<Order, Context> | undefined
  /**
   * Called with each error, with a `HandoffRejection` for each rejected request, and when a paid intent does not match
   * its order. Errors that it throws are ignored. A client that disconnects is not reported.
   * @default Writes the error to stderr; one line for a rejected request
   */
  readonly onError?: ((error: unknown, context: Context) => void) | undefined
  /**
   * Path in front of `/handoff` and `/status`, as the server receives it.
   * @default '/checkout'
   */
  readonly basePath?: string | undefined
  /**
   * Keys of the cookie.
   * @default `PI_HANDOFF_KEYS`, read on first use
   */
  readonly keys?: string | undefined
  /**
   * Milliseconds since 1970, for tests.
   * @default Date.now
   */
  readonly clock?: (() => number) | undefined
}

type Hook<Order, Context> = (
  order: Order,
  intent: PaymentIntent,
  context: Context,
) => Awaitable<void>

/**
 * Handles `POST {basePath}/handoff` and `GET {basePath}/status`. Other paths get a 404. Never rejects.
 *
 * Hono, Next.js, Bun, Deno, and Workers call it with their `Request`. For Express see `toExpress`.
 */
export type HandoffHandler<Context = unknown> = HandleRequest<Context> & {
  /** Path in front of `/handoff` and `/status`. Adapters pass on every other path. */
  readonly basePath: string
  /**
   * Checks at startup the keys of the cookie, and what `PaymentIntents.check()` checks.
   *
   * @throws {TypeError} If `PI_HANDOFF_KEYS`, `PI_API_KEY`, or `PI_BASE_URL` is missing or malformed.
   * @throws {PiError} If the service cannot be reached, or rejects the key.
   * @example
   * await checkout.check() // before the server listens
   */
  readonly check: () => Promise<void>
}

type HandleRequest<Context> = (
  request: Request,
  ...context: unknown extends Context ? [context?: unknown] : [context: Context]
) => Promise<Response>

/** The handler without the Fetch API, for the adapters of this package. */
export type Respond<Context> = (call: HandoffCall, context: Context) => Promise<HandoffResult>

/** Property of a handler: its `Respond`. */
export const respond = Symbol('respond')

/**
 * Creates the request handler for `POST {basePath}/handoff` and `GET {basePath}/status`. A missing environment variable
 * fails the first request, not the import: `check()` finds it at startup.
 *
 * @param options - See `HandoffOptions`.
 * @throws {TypeError} If `origin` is not an origin, or uses http on a host other than loopback, or `basePath` is no path.
 * @example
 * const checkout = createHandoff({ intents, origin: 'https://shop.example', order: (request, orderId) => findOrder(request, orderId) })
 */
export function createHandoff<Order extends HandoffOrder = HandoffOrder, Context = unknown>(
  options: HandoffOptions<Order, Context>,
): HandoffHandler<Context> {
  const handoffs = new Handoffs(options)
  // The type requires a context exactly if the hooks need one.
  const handle: HandleRequest<Context> = async (request, ...[context]) =>
    toResponse(await handoffs.respond(callFromRequest(request), context as Context))
  return Object.assign(handle, {
    basePath: handoffs.basePath,
    check: () => handoffs.check(),
    [respond]: ((call, context) => handoffs.respond(call, context)) satisfies Respond<Context>,
  })
}

class Handoffs<Order extends HandoffOrder, Context> {
  readonly basePath: string
  readonly #options: HandoffOptions<Order, Context>
  readonly #origin: string
  #cookie: HandoffCookie | undefined

  constructor(options: HandoffOptions<Order, Context>) {
    const { basePath = defaultBasePath } = options
    assertBasePath(basePath)
    this.basePath = basePath
    this.#options = options
    this.#origin = checkedOrigin(options.origin, { name: 'origin', of: 'createHandoff()' })
  }

  async check(): Promise<void> {
    await this.#loadCookie()
    await this.#options.intents.check?.()
  }

  async respond(call: HandoffCall, context: Context): Promise<HandoffResult> {
    const route = routeOf(call.url, this.basePath)
    if (!route) return problemResult('not_found')
    try {
      return await (route === 'handoff'
        ? this.#handoff(call, context)
        : this.#status(call, context))
    } catch (error) {
      if (error instanceof HandoffRejection) return this.#reject(error, { call, route, context })
      this.#reportError(error, context)
      return problemResult(publicCode(error))
    }
  }

  #reject(
    rejection: HandoffRejection,
    {
      call,
      route,
      context,
    }: { readonly call: HandoffCall; readonly route: HandoffRoute; readonly context: Context },
  ): HandoffResult {
    const { code, status, message } = rejection
    rejection.requestId = call.header('x-request-id')?.slice(0, 128)
    // A client that disconnects is no error of the shop or its page.
    if (code !== 'body_incomplete') {
      const path = `${this.basePath === '/' ? '' : this.basePath}/${route}`
      const id = rejection.requestId ? `, X-Request-Id ${JSON.stringify(rejection.requestId)}` : ''
      const line = `${call.method} ${path} returned ${status} ${code}${id}: ${message}`
      this.#reportError(rejection, context, line)
    }
    return problemResult(code, code === 'method_not_allowed' ? routeMethods[route] : undefined)
  }

  async #handoff(call: HandoffCall, context: Context): Promise<HandoffResult> {
    const orderId = await parseHandoffRequest(call, this.#origin)
    const cookie = await this.#loadCookie()
    const request = call.request()
    const order = await this.#loadOrder(request, orderId, context)
    if (order.paid) throw new HandoffRejection('order_already_paid')
    const { intents, onIntent, session } = this.#options
    const { attempt, amount, currency, customer, metadata } = order
    // The order may have other fields.
    const params = { orderId: order.orderId, amount, currency, customer, metadata }
    const key = await intents.keyFor(params, { attempt })
    const binding = { session: await session?.(request, context), orderId: order.orderId, key }
    const resumed = await cookie.read(call.header('cookie'), binding)
    // The same cart in the same session has its handoff already.
    if (resumed && (order.intentId ?? resumed.id) === resumed.id) return handoffResult(resumed)
    // Without a signal: a buyer who leaves must not abort the create.
    const { intent, handoff } = await intents.create(params, { attempt })
    await onIntent?.(order, intent, context)
    return handoffResult(handoff, await cookie.set(handoff, binding))
  }

  async #status(call: HandoffCall, context: Context): Promise<HandoffResult> {
    const orderId = parseStatusRequest(call, this.#origin)
    const cookie = await this.#loadCookie()
    const request = call.request()
    const order = await this.#loadOrder(request, orderId, context)
    if (order.paid) return stateResult('paid')
    const { intents, session, onPaid, onFailed } = this.#options
    const binding = { session: await session?.(request, context), orderId: order.orderId }
    const handoff = await cookie.read(call.header('cookie'), binding)
    const id = order.intentId ?? handoff?.id
    if (id === undefined) return stateResult('open')
    const intent = await intents.retrieve(id)
    const verdict = verify(intent, { ...order, id })
    if (verdict === 'mismatch') {
      if (phaseOf(intent.status) === 'paid') this.#reportError(paidMismatch(order, intent), context)
      return stateResult('unknown')
    }
    if (verdict === 'paid') await onPaid?.(order, intent, context)
    else if (verdict === 'failed') await onFailed?.(order, intent, context)
    else return stateResult(verdict)
    return stateResult(verdict, handoff?.id === id ? cookie.clear() : undefined)
  }

  async #loadCookie(): Promise<HandoffCookie> {
    const { keys, clock = Date.now } = this.#options
    this.#cookie ??= await createHandoffCookie({ origin: this.#origin, keys, clock })
    return this.#cookie
  }

  async #loadOrder(
    request: Request,
    orderId: string | undefined,
    context: Context,
  ): Promise<Order> {
    const order = await this.#options.order(request, orderId, context)
    if (!order) {
      throw new HandoffRejection(
        'order_not_found',
        `order: the hook returned no order for orderId; ${received(orderId)}.`,
      )
    }
    if (orderId !== undefined && order.orderId !== orderId) {
      throw new TypeError(
        `order: the hook returned order ${JSON.stringify(order.orderId)} for orderId ${JSON.stringify(orderId)}. Return the requested order, or undefined if the session does not own it.`,
      )
    }
    return order
  }

  /** @param line - Replaces the error in the log. */
  #reportError(error: unknown, context: Context, line?: string): void {
    const { onError } = this.#options
    if (!onError) {
      // biome-ignore lint/suspicious/noConsole: otherwise the shop would not see the cause.
      console.error('pi-checkout handoff:', line ?? error)
      return
    }
    // An error of the listener, also a later one, must not change the response.
    const call = async (): Promise<void> => onError(error, context)
    call().catch(() => {})
  }
}

/** Exactly the two values, whatever else the handoff contains. */
function handoffResult({ id, clientSecret }: Handoff, setCookie?: string): HandoffResult {
  return jsonResult({ id, clientSecret }, { cacheControl: 'no-store, private', setCookie })
}

function stateResult(state: HandoffState, setCookie?: string): HandoffResult {
  return jsonResult({ state }, { cacheControl: 'no-store', setCookie })
}

function jsonResult(
  body: object,
  {
    cacheControl,
    setCookie,
  }: { readonly cacheControl: string; readonly setCookie: string | undefined },
): HandoffResult {
  return {
    status: 200,
    headers: [
      ['cache-control', cacheControl],
      ['content-type', 'application/json'],
      ['x-content-type-options', 'nosniff'],
      ...(setCookie ? [['set-cookie', setCookie] as const] : []),
    ],
    body: JSON.stringify(body),
  }
}

function paidMismatch({ orderId }: HandoffOrder, { id }: PaymentIntent): Error {
  return new Error(
    `Intent ${id} is paid but does not match order ${orderId}. Review both manually.`,
  )
}
