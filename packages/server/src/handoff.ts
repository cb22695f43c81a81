/**
 * One handler from Request to Response: gives the page `{ id, clientSecret }`, and tells it the state.
 *
 * The price and the owner come from the shop's own `order` hook; no field of a browser becomes money.
 *
 * @module
 */

import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { phaseOf } from '@pi-checkout/contract/spec-decisions'
import type { PaymentIntents } from './client.ts'
import { checkedOrigin } from './configuration.ts'
import { HandoffRejection, problemResponse, publicCode, received } from './handoff-problem.ts'
import {
  checkedBasePath,
  defaultBasePath,
  type HandoffRoute,
  readHandoffRequest,
  readStatusRequest,
  routeMethods,
  routeOf,
} from './handoff-request.ts'
import type { CreateParams } from './idempotency-key.ts'
import { noteBody } from './known-body.ts'
import type { Handoff } from './mask.ts'
import { createSeal, type HandoffSeal, handoffLifetime } from './sealed-handoff.ts'
import { type Verdict, verify } from './verify.ts'

/** The shop's own order, as its `order` hook returns it. */
export interface HandoffOrder extends CreateParams {
  /** Raised by `onFailed`, so that the next handoff makes a fresh intent. Default 1. */
  readonly attempt?: number | undefined
  /** The current intent, as `onIntent` stored it. */
  readonly intentId?: string | null | undefined
  /** Already settled: status answers `paid` without asking, and no handoff is given. */
  readonly paid?: boolean | undefined
}

/** What a page learns of its order. Only the server's own record is proof. */
export type HandoffState = Exclude<Verdict, 'mismatch'>

type Awaitable<T> = T | Promise<T>

/** The shop's half of the handoff. Every hook gets the framework's own request as `context`, last. */
export interface HandoffOptions<Order extends HandoffOrder = HandoffOrder, Context = unknown> {
  /** The client; of ours or of a test. */
  readonly intents: Pick<PaymentIntents, 'create' | 'retrieve' | 'keyFor'> &
    Partial<Pick<PaymentIntents, 'check'>>
  /** The shop's own origin, such as `https://shop.example`: https, or http on this machine. */
  readonly origin: string
  /**
   * Loads the order that this session owns, with the shop's own price.
   *
   * @param orderId What the page asked for; `undefined` means the session's current order.
   * @returns `undefined` when there is none, or it is not theirs: both read the same outside.
   */
  readonly order: (
    request: Request,
    orderId: string | undefined,
    context: Context,
  ) => Awaitable<Order | undefined>
  /** Id of the session that the cookie is bound to. Leave it out in a shop without sessions. */
  readonly session?:
    | ((request: Request, context: Context) => Awaitable<string | undefined>)
    | undefined
  /** Stores the intent's id with the order, before the page gets anything. */
  readonly onIntent?: Hook<Order, Context> | undefined
  /**
   * Marks the order paid. Called at least once per payment, and at the same time by requests that come at the same
   * time: make it idempotent.
   */
  readonly onPaid?: Hook<Order, Context> | undefined
  /**
   * Called when the intent failed for good: forget it and store the order's `attempt` plus 1 for the buyer's next try.
   * Called at least once per intent, and at the same time by requests that come at the same time: change the order
   * only while `intent.id` is its `intentId`, and compute `attempt` from the order that the hook is given.
   */
  readonly onFailed?: Hook<Order, Context> | undefined
  /**
   * Called for each handoff or status request that is rejected or fails, and when a paid intent does not match its
   * order. A rejected request is a `HandoffRejection` with `code`, `status` and what was expected and received.
   * Errors that it throws are ignored. A client that leaves is not reported.
   *
   * @default Writes the error to stderr; of a rejected request one line.
   */
  readonly onError?: ((error: unknown, context: Context) => void) | undefined
  /**
   * Path in front of `/handoff` and `/status`, as the server receives it.
   *
   * @default '/checkout'
   */
  readonly basePath?: string | undefined
  /** Keys that seal the cookie. Default: `PI_HANDOFF_KEYS`, read on first use. */
  readonly keys?: string | undefined
  /** Milliseconds since 1970; for tests. */
  readonly clock?: (() => number) | undefined
}

type Hook<Order, Context> = (
  order: Order,
  intent: PaymentIntent,
  context: Context,
) => Awaitable<void>

/**
 * Handles `POST {basePath}/handoff` and `GET {basePath}/status`; any other path gets a 404. Never rejects.
 *
 * Hono, Next, Bun, Deno and Workers call it with their own `Request`; for Express see `toExpress`.
 */
export type HandoffHandler<Context = unknown> = HandleRequest<Context> & {
  /** Path in front of `/handoff` and `/status`: adapters pass every other path on. */
  readonly basePath: string
  /**
   * Checks, at startup, the keys of the cookie and what `PaymentIntents.check()` checks: variables, API key and
   * whether the service can be reached.
   *
   * @throws {TypeError} If `PI_HANDOFF_KEYS`, `PI_API_KEY` or `PI_BASE_URL` is missing or malformed.
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

/**
 * Makes the handler of a shop's checkout.
 *
 * A missing variable fails the first request, not the import; `check()` finds it at startup.
 *
 * @throws {TypeError} If `origin` is not an origin, or is http elsewhere than on this machine, or `basePath` is no path.
 */
export function createHandoff<Order extends HandoffOrder = HandoffOrder, Context = unknown>(
  options: HandoffOptions<Order, Context>,
): HandoffHandler<Context> {
  const shop = new HandoffShop(options)
  // The type asks for a context exactly when the hooks want one.
  const handle: HandleRequest<Context> = (request, ...[context]) =>
    shop.handle(request, context as Context)
  return Object.assign(handle, { basePath: shop.basePath, check: () => shop.check() })
}

class HandoffShop<Order extends HandoffOrder, Context> {
  readonly #options: HandoffOptions<Order, Context>
  readonly basePath: string
  readonly #origin: string
  readonly #cookie: { readonly name: string; readonly attributes: string }
  #seal: HandoffSeal | undefined

  constructor(options: HandoffOptions<Order, Context>) {
    this.#options = options
    this.basePath = checkedBasePath(options.basePath ?? defaultBasePath)
    this.#origin = checkedOrigin(options.origin, { name: 'origin', of: 'createHandoff()' })
    const attributes = 'Path=/; HttpOnly; SameSite=Strict'
    // WebKit drops Secure cookies on http loopback (bug 281149); nowhere else is the weak form used.
    this.#cookie = this.#origin.startsWith('https:')
      ? { name: '__Host-pi-handoff', attributes: `${attributes}; Secure` }
      : { name: 'pi-handoff', attributes }
  }

  async check(): Promise<void> {
    await this.#sealed()
    await this.#options.intents.check?.()
  }

  async handle(request: Request, context: Context): Promise<Response> {
    const route = routeOf(request.url, this.basePath)
    if (!route) return problemResponse('not_found')
    try {
      return await (route === 'handoff'
        ? this.#handoff(request, context)
        : this.#status(request, context))
    } catch (error) {
      if (error instanceof HandoffRejection) return this.#reject(error, { request, route, context })
      this.#tell(error, context)
      return problemResponse(publicCode(error))
    }
  }

  #reject(
    rejection: HandoffRejection,
    of: { readonly request: Request; readonly route: HandoffRoute; readonly context: Context },
  ): Response {
    const { code, status, message } = rejection
    const { request, route, context } = of
    rejection.requestId = request.headers.get('x-request-id')?.slice(0, 128)
    // A client that left is no fault of the shop or of its page.
    if (code !== 'body_incomplete') {
      const asked = `${request.method} ${new URL(request.url).pathname}`
      const id = rejection.requestId ? `, X-Request-Id ${JSON.stringify(rejection.requestId)}` : ''
      this.#tell(rejection, context, `${asked} returned ${status} ${code}${id}: ${message}`)
    }
    return problemResponse(code, code === 'method_not_allowed' ? routeMethods[route] : undefined)
  }

  async #handoff(request: Request, context: Context): Promise<Response> {
    const orderId = await readHandoffRequest(request, this.#origin)
    const seal = await this.#sealed()
    const order = await this.#order(request, orderId, context)
    if (order.paid) throw new HandoffRejection('order_already_paid')
    const params = readOrder(order)
    const { intents, onIntent } = this.#options
    const key = await intents.keyFor(params, { attempt: order.attempt })
    const binding = { session: await this.#session(request, context), orderId: order.orderId, key }
    const resumed = await this.#open(seal, request, binding)
    // A reload: the same cart in the same session has its pair already.
    if (resumed && (order.intentId ?? resumed.id) === resumed.id) return pairResponse(resumed)
    // Without the request's signal: a buyer who leaves must not cut a create in half.
    const { intent, handoff } = await intents.create(params, { attempt: order.attempt })
    await onIntent?.(order, intent, context)
    return pairResponse(handoff, this.#setCookie(await seal.seal(handoff, binding)))
  }

  async #status(request: Request, context: Context): Promise<Response> {
    const orderId = readStatusRequest(request, this.#origin)
    const seal = await this.#sealed()
    const order = await this.#order(request, orderId, context)
    if (order.paid) return stateResponse('paid')
    const session = await this.#session(request, context)
    const handoff = await this.#open(seal, request, { session, orderId: order.orderId })
    const id = order.intentId ?? handoff?.id
    if (id === undefined) return stateResponse('open')
    const intent = await this.#options.intents.retrieve(id)
    const verdict = verify(intent, { ...order, id })
    const over = handoff?.id === id ? this.#setCookie('', 0) : undefined
    if (verdict === 'paid') {
      await this.#options.onPaid?.(order, intent, context)
      return stateResponse('paid', over)
    }
    if (verdict === 'failed') {
      await this.#options.onFailed?.(order, intent, context)
      return stateResponse('failed', over)
    }
    if (verdict === 'mismatch') {
      if (phaseOf(intent.status) === 'paid') this.#tell(paidMismatch(order, intent), context)
      return stateResponse('unknown')
    }
    return stateResponse(verdict)
  }

  async #sealed(): Promise<HandoffSeal> {
    const { keys, clock = Date.now } = this.#options
    this.#seal ??= await createSeal({ origin: this.#origin, keys, clock })
    return this.#seal
  }

  async #order(request: Request, orderId: string | undefined, context: Context): Promise<Order> {
    const order = await this.#options.order(request, orderId, context)
    if (!order) {
      throw new HandoffRejection(
        'order_not_found',
        `order: the hook returned no order for orderId; ${received(orderId)}.`,
      )
    }
    if (orderId !== undefined && order.orderId !== orderId) {
      throw new TypeError('order: returned another order than the one that was asked for')
    }
    return order
  }

  async #session(request: Request, context: Context): Promise<string | undefined> {
    return this.#options.session?.(request, context)
  }

  async #open(
    seal: HandoffSeal,
    request: Request,
    binding: Parameters<HandoffSeal['open']>[1],
  ): Promise<Handoff | undefined> {
    const sealed = readCookie(request, this.#cookie.name)
    return sealed === undefined ? undefined : seal.open(sealed, binding)
  }

  #setCookie(value: string, maxAge = handoffLifetime): string {
    const { name, attributes } = this.#cookie
    return `${name}=${value}; Max-Age=${maxAge}; ${attributes}`
  }

  /** @param line What stands in the log in place of the error and its stack. */
  #tell(error: unknown, context: Context, line?: string): void {
    const { onError } = this.#options
    if (!onError) {
      // biome-ignore lint/suspicious/noConsole: without a line the shop could not find the cause.
      console.error('pi-checkout handoff:', line ?? error)
      return
    }
    // A listener that fails, at once or later, must not cost the buyer the answer.
    const told = async (): Promise<void> => onError(error, context)
    told().catch(() => {})
  }
}

/** Takes what makes the body; the hook's order may hold anything else besides. */
function readOrder({ orderId, amount, currency, customer, metadata }: HandoffOrder): CreateParams {
  return { orderId, amount, currency, customer, metadata }
}

function readCookie(request: Request, name: string): string | undefined {
  for (const pair of request.headers.get('cookie')?.split(';') ?? []) {
    const [key, ...value] = pair.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}

/** Exactly the two values, whatever else the client's answer holds. */
function pairResponse({ id, clientSecret }: Handoff, cookie?: string): Response {
  return jsonResponse({ id, clientSecret }, 'no-store, private', cookie)
}

function stateResponse(state: HandoffState, cookie?: string): Response {
  return jsonResponse({ state }, 'no-store', cookie)
}

function jsonResponse(body: unknown, cacheControl: string, cookie: string | undefined): Response {
  const text = JSON.stringify(body)
  const response = new Response(text, {
    headers: {
      'cache-control': cacheControl,
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      ...(cookie ? { 'set-cookie': cookie } : {}),
    },
  })
  return noteBody(response, text)
}

function paidMismatch({ orderId }: HandoffOrder, { id }: PaymentIntent): Error {
  return new Error(
    `Intent ${id} is paid but is not what order ${orderId} asks for; a person must look at both`,
  )
}
