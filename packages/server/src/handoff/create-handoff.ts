/**
 * The routes that give `{ id, clientSecret }` to the page and return the phase of its order.
 *
 * Price and owner come from the shop's `order` hook. No value from a browser becomes an amount.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { type Phase, phaseOf } from '@pi-checkout/contract/spec-decisions'
import { ConfigurationError, PiError } from '../client/errors.ts'
import type { Handoff } from '../client/payment-intents.ts'
import { excerpt } from '../client/redact.ts'
import { testTimeOf } from '../client/test-time.ts'
import {
  callFromRequest,
  type HandoffCall,
  type HandoffResult,
  problemResult,
  toResponse,
} from './call.ts'
import { createHandoffCookie, type HandoffCookie } from './handoff-cookie.ts'
import type { HandoffOptions, HandoffOrder, HookRequest, OpenOrder } from './options.ts'
import {
  assertBasePath,
  defaultBasePath,
  parseHandoffRequest,
  parseStatusRequest,
  routeMethods,
  routeOf,
} from './parse-request.ts'
import { HandoffRejection, publicCode, quoted, received } from './problem.ts'
import { type ReconcileOptions, type ReconcileSummary, reconcile } from './reconcile.ts'
import { Settlements } from './settlements.ts'
import { type ShopOrigins, shopOriginsOf } from './shop-origins.ts'

/**
 * Handles `POST {basePath}/handoff` and `GET {basePath}/status`. Other paths get a 404. Never rejects.
 *
 * Hono, Next.js, Bun, Deno, and Workers call it with their `Request`. For Express see `toExpress`.
 */
export type HandoffHandler<
  Order extends HandoffOrder = HandoffOrder,
  Context = unknown,
> = HandleRequest<Context> & HandoffMembers<Order>

/** What a handler has besides its routes. */
export interface HandoffMembers<Order extends HandoffOrder> {
  /** Path in front of `/handoff` and `/status`. Adapters pass on every other path. */
  readonly basePath: string
  /**
   * Checks at startup the keys of the cookie, and what `PaymentIntents.check()` checks. If `intents` is a function, only the
   * keys: check the clients of your merchants yourself.
   *
   * @throws {TypeError} If `PI_API_KEY` or `PI_BASE_URL` is missing or malformed, or `PI_HANDOFF_KEYS` is malformed.
   * @throws {PiError} If the service cannot be reached, or rejects the key.
   * @example
   * await checkout.check() // before the server listens
   */
  check(): Promise<void>
  /**
   * Settles orders whose buyers did not come back: retrieves the intent of each and calls `settle` if it is final. Run it at
   * startup and every minute: the service has no webhooks.
   *
   * Runs can overlap, stop at any point, and start again. An order whose row is malformed, or whose intent cannot be
   * retrieved, is reported and does not stop the run.
   *
   * @param orders - Any iterable of orders that are not settled. An async one is read no faster than orders are settled.
   * @param options - See `ReconcileOptions`.
   * @returns Counts of this run.
   * @throws {TypeError} If a variable is missing, or `concurrency` is invalid.
   * @throws {PiError} If the service rejects the key of a single client, because every other order would fail too.
   * @throws What a hook or the iterable throws.
   * @example
   * const reconcile = async () => checkout.reconcile(orders.open())
   * setInterval(() => reconcile().catch(console.error), 60_000)
   */
  reconcile(
    orders: AsyncIterable<OpenOrder<Order>> | Iterable<OpenOrder<Order>>,
    options?: ReconcileOptions<OpenOrder<Order>>,
  ): Promise<ReconcileSummary>
}

type HandleRequest<Context> = (
  request: Request,
  ...context: unknown extends Context ? [context?: unknown] : [context: Context]
) => Promise<Response>

/** The handler without the Fetch API, for the adapters of this package. */
export type Respond<Context> = (call: HandoffCall, context: Context) => Promise<HandoffResult>

/** How often a handoff reads an order that changes while its intent is created. */
const maxSaves = 3

/** Property of a handler: its `Respond`. */
export const respond = Symbol('respond')

/**
 * Creates the request handler for `POST {basePath}/handoff` and `GET {basePath}/status`. A missing environment variable
 * fails the first request, not the import: `check()` finds it at startup.
 *
 * @param options - See `HandoffOptions`.
 * @throws {TypeError} If `shopOrigin` is not an origin, or uses http on a host other than loopback, or `basePath` is no path.
 * @example
 * const checkout = createHandoff({
 *   intents: new PaymentIntents(),
 *   shopOrigin: 'https://shop.example',
 *   order: ({ orderId, context }) => orders.ownedBy(context.session.id, orderId),
 *   saveIntent: ({ order, intent }) => orders.saveIntent(order, intent.id), // `false` if the order changed
 *   settle: ({ order, intent, phase, nextAttempt }) =>
 *     orders.settle(order.orderId, { ifIntent: intent.id, phase, attempt: nextAttempt }),
 * })
 */
export function createHandoff<Order extends HandoffOrder = HandoffOrder, Context = unknown>(
  options: HandoffOptions<Order, Context>,
): HandoffHandler<Order, Context> {
  const handoffs = new Handoffs(options)
  // The type requires a context exactly if the hooks need one.
  const handle: HandleRequest<Context> = async (request, ...[context]) =>
    toResponse(await handoffs.respond(callFromRequest(request), context as Context))
  const members: HandoffMembers<Order> = {
    basePath: handoffs.basePath,
    check: () => handoffs.check(),
    reconcile: (orders, settings) => handoffs.reconcile(orders, settings),
  }
  const direct: Respond<Context> = (call, context) => handoffs.respond(call, context)
  return Object.assign(handle, members, { [respond]: direct })
}

class Handoffs<Order extends HandoffOrder, Context> {
  readonly basePath: string
  readonly #options: HandoffOptions<Order, Context>
  readonly #originsFor: ShopOrigins<Context>
  readonly #settlements: Settlements<Order>
  #cookie: Promise<HandoffCookie | undefined> | undefined

  constructor(options: HandoffOptions<Order, Context>) {
    const { basePath = defaultBasePath, intents, resumeCookie, settle } = options
    assertBasePath(basePath)
    if (resumeCookie === null) {
      throw new ConfigurationError('resumeCookie', 'is null. Pass false for no cookie.')
    }
    this.basePath = basePath
    this.#options = options
    this.#originsFor = shopOriginsOf(options.shopOrigin)
    this.#settlements = new Settlements({ intents, settle })
  }

  async check(): Promise<void> {
    const { intents } = this.#options
    await this.#loadCookie()
    if (typeof intents !== 'function') await intents.check?.()
  }

  reconcile(
    orders: AsyncIterable<OpenOrder<Order>> | Iterable<OpenOrder<Order>>,
    options: ReconcileOptions<OpenOrder<Order>> = {},
  ): Promise<ReconcileSummary> {
    return reconcile(orders, {
      ...options,
      settlements: this.#settlements,
      isOneMerchant: typeof this.#options.intents !== 'function',
      onError: (error) => this.#reportError(error, undefined),
    })
  }

  async respond(call: HandoffCall, context: Context): Promise<HandoffResult> {
    const route = routeOf(call.url, this.basePath)
    if (!route) return problemResult('not_found')
    try {
      return await (route === 'handoff'
        ? this.#handoff(call, context)
        : this.#status(call, context))
    } catch (error) {
      if (!(error instanceof HandoffRejection)) {
        this.#reportError(error, context)
        return problemResult(publicCode(error))
      }
      const { code, status, message } = error
      error.requestId = call.header('x-request-id')?.slice(0, 128)
      // A client that disconnects is no error of the shop or its page.
      if (code !== 'body_incomplete') {
        const path = `${this.basePath === '/' ? '' : this.basePath}/${route}`
        const id = error.requestId ? `, X-Request-Id ${JSON.stringify(error.requestId)}` : ''
        const line = `${excerpt(call.method)} ${path} returned ${status} ${code}${id}: ${message}`
        this.#reportError(error, context, line)
      }
      return problemResult(code, code === 'method_not_allowed' ? routeMethods[route] : undefined)
    }
  }

  async #handoff(call: HandoffCall, context: Context): Promise<HandoffResult> {
    const about = aboutOf(call, context)
    const { orderId, origin } = await parseHandoffRequest(call, () => this.#originsFor(about))
    for (let number = 1; number <= maxSaves; number++) {
      const order = await this.#loadOrder(orderId, about())
      const result = await this.#handoffOf(order, { call, origin, about: about() })
      if (result) return result
    }
    throw new HandoffRejection(
      'payment_unavailable',
      `saveIntent: the hook returned false ${maxSaves} times. Return false only if the order changed after the order hook returned it.`,
    )
  }

  /** Returns `undefined` if the order changed before its intent was stored: the page must not get that intent. */
  async #handoffOf(
    order: Order,
    {
      call,
      origin,
      about,
    }: {
      readonly call: HandoffCall
      readonly origin: string
      readonly about: HookRequest<Context>
    },
  ): Promise<HandoffResult | undefined> {
    if (order.paid) throw new HandoffRejection('order_already_paid')
    const { saveIntent, session } = this.#options
    const cookie = await this.#loadCookie()
    const client = await this.#settlements.clientOf(order)
    const { attempt, amount, currency, customer, metadata } = order
    // The order may have other fields.
    const params = { orderId: order.orderId, amount, currency, customer, metadata }
    const binding = cookie && {
      session: await session?.(about),
      orderId: order.orderId,
      key: await client.keyFor(params, { attempt }),
      tenant: await client.tenant?.(),
    }
    const resumed =
      binding && (await cookie.read(call.header('cookie'), { ...binding, origins: [origin] }))
    // The same cart in the same session has its handoff already.
    if (resumed && resumed.handoff.id === order.intentId) return handoffResult(resumed.handoff)
    // Without a signal: a buyer who leaves must not abort the create.
    const { intent, handoff } = await client.create(params, { attempt })
    if (order.intentId && order.intentId !== intent.id) {
      await this.#assertReplaceable(order, { id: order.intentId, context: about.context })
    }
    if ((await saveIntent({ order, intent, ...about })) === false) return undefined
    return handoffResult(handoff, binding && (await cookie.set(handoff, { ...binding, origin })))
  }

  /**
   * Rejects the handoff while the order's intent may still be paid, or is paid. The service returned another intent because
   * the order changed, or because it has released the key of a payment that takes days.
   */
  async #assertReplaceable(
    order: Order,
    { id, context }: { readonly id: string; readonly context: Context },
  ): Promise<void> {
    const examined = await this.#settlements.examine(order, { id }).catch((error: unknown) => {
      // An intent that the service does not have cannot be paid.
      if (PiError.is(error) && error.status === 404) return undefined
      throw error
    })
    if (!examined) return
    if (examined.phase === 'paid') throw new HandoffRejection('order_already_paid')
    const phase = phaseOf(examined.intent.status)
    if (phase === 'open' || phase === 'failed') return
    if (phase === 'paid') this.#reportError(paidMismatch(order, examined.intent), context)
    throw new HandoffRejection(
      'payment_in_progress',
      `Intent ${id} of order ${quoted(order.orderId)} is ${quoted(examined.intent.status)}. Another payment must wait for its result.`,
    )
  }

  async #status(call: HandoffCall, context: Context): Promise<HandoffResult> {
    const about = aboutOf(call, context)
    const origins = () => this.#originsFor(about)
    const order = await this.#loadOrder(await parseStatusRequest(call, origins), about())
    if (order.paid) return phaseResult('paid')
    const { intentId: id } = order
    if (id === undefined || id === null) return phaseResult('open')
    const { intent, phase } = await this.#settlements.examine(order, { id })
    if (phase === 'mismatch') {
      if (phaseOf(intent.status) === 'paid') this.#reportError(paidMismatch(order, intent), context)
      return phaseResult('unknown')
    }
    if (phase !== 'paid' && phase !== 'failed') return phaseResult(phase)
    const cookie = await this.#loadCookie()
    const session = await this.#options.session?.(about())
    const client = await this.#settlements.clientOf(order)
    const resumed = await cookie?.read(call.header('cookie'), {
      session,
      orderId: order.orderId,
      tenant: await client.tenant?.(),
      origins: await origins(),
    })
    return phaseResult(phase, resumed?.handoff.id === id ? resumed.clear : undefined)
  }

  #loadCookie(): Promise<HandoffCookie | undefined> {
    const { resumeCookie = {} } = this.#options
    const { clock = Date.now } = testTimeOf(this.#options)
    this.#cookie ??= createHandoffCookie(resumeCookie, clock)
    return this.#cookie
  }

  async #loadOrder(orderId: string | undefined, about: HookRequest<Context>): Promise<Order> {
    const order = await this.#options.order({ orderId, ...about })
    if (!order) {
      throw new HandoffRejection(
        'order_not_found',
        `order: the hook returned no order for orderId; ${received(orderId)}.`,
      )
    }
    if (orderId !== undefined && order.orderId !== orderId) {
      throw new TypeError(
        `order: the hook returned order ${quoted(String(order.orderId))} for orderId ${quoted(orderId)}. Return the requested order, or undefined if the session does not own it.`,
      )
    }
    // Otherwise a paid order whose intent the hook omits would stay open.
    if (!('intentId' in order)) {
      throw new TypeError(
        'order: the hook returned an order without intentId. Return the id that saveIntent stored, and null before the first.',
      )
    }
    return order
  }

  /** @param line - Replaces the error in the log. */
  #reportError(error: unknown, context: Context | undefined, line?: string): void {
    const { onError } = this.#options
    if (!onError) {
      // biome-ignore lint/suspicious/noConsole: otherwise the shop would not see the cause.
      console.error('pi-checkout handoff:', line ?? error)
      return
    }
    // An error of the listener, also a later one, must not change the response.
    const call = async (): Promise<void> => onError({ error, context })
    call().catch(() => {})
  }
}

/** Returns the request for the hooks, created at most once. */
function aboutOf<Context>(call: HandoffCall, context: Context): () => HookRequest<Context> {
  let about: HookRequest<Context> | undefined
  return () => {
    about ??= { request: call.request(), context }
    return about
  }
}

/** Exactly the two values, whatever else the handoff contains. */
function handoffResult({ id, clientSecret }: Handoff, setCookie?: string): HandoffResult {
  return jsonResult({ id, clientSecret }, { cacheControl: 'no-store, private', setCookie })
}

function phaseResult(phase: Phase, setCookie?: string): HandoffResult {
  return jsonResult({ phase }, { cacheControl: 'no-store', setCookie })
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

/** A payment that settles nothing. */
export function paidMismatch({ orderId }: HandoffOrder, { id }: PaymentIntent): Error {
  return new Error(
    `Intent ${id} is paid but does not match order ${orderId}. Review both manually.`,
  )
}
