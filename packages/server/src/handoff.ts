/**
 * One handler from Request to Response: gives the page `{ id, clientSecret }`, and tells it the state.
 *
 * The price and the owner come from the shop's own `order` hook; no field of a browser becomes money.
 *
 * @module
 */
import { phaseOf } from '@pi-checkout/contract/open-choices'
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import type { PaymentIntents } from './client.ts'
import { checkedOrigin } from './configuration.ts'
import { HandoffRefusal, problemResponse, publicCode } from './handoff-problem.ts'
import { readHandoffRequest, readStatusRequest, routeOf } from './handoff-request.ts'
import type { CreateParams } from './idempotency-key.ts'
import { noteBody } from './known-body.ts'
import type { Handoff } from './mask.ts'
import { createSeal, type HandoffSeal, handoffLifetime } from './sealed-handoff.ts'
import { type Verdict, verify } from './verify.ts'

/** The shop's own order, as its `order` hook returns it. */
export interface HandoffOrder extends CreateParams {
  /** Raise it after `onFailed`, so that the next handoff makes a fresh intent. Default 1. */
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
  readonly intents: Pick<PaymentIntents, 'create' | 'retrieve' | 'keyFor'>
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
  /** Marks the order paid. Called at least once per payment: make it idempotent. */
  readonly onPaid?: Hook<Order, Context> | undefined
  /** Hears that the intent failed for good: store `attempt + 1` for the buyer's next try. */
  readonly onFailed?: Hook<Order, Context> | undefined
  /** Hears of everything that the browser gets a 5xx for. Default: one line on stderr. */
  readonly onError?: ((error: unknown, context: Context) => void) | undefined
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
 * Answers `POST …/handoff` and `GET …/status`; anything else is a 404. Never rejects.
 *
 * Hono, Next, Bun, Deno and Workers call it with their own `Request`; for Express see `toExpress`.
 */
export type HandoffHandler<Context = unknown> = (
  request: Request,
  ...context: unknown extends Context ? [context?: unknown] : [context: Context]
) => Promise<Response>

/**
 * Makes the handler of a shop's checkout.
 *
 * @throws {TypeError} `origin` is not an origin, or is http elsewhere than on this machine. Missing
 * variables are told by the first request, never at import.
 */
export function createHandoff<Order extends HandoffOrder = HandoffOrder, Context = unknown>(
  options: HandoffOptions<Order, Context>,
): HandoffHandler<Context> {
  const shop = new HandoffShop(options)
  // The type asks for a context exactly when the hooks want one.
  return (request, ...[context]) => shop.handle(request, context as Context)
}

class HandoffShop<Order extends HandoffOrder, Context> {
  readonly #options: HandoffOptions<Order, Context>
  readonly #origin: string
  readonly #cookie: { readonly name: string; readonly attributes: string }
  #seal: HandoffSeal | undefined

  constructor(options: HandoffOptions<Order, Context>) {
    this.#options = options
    this.#origin = checkedOrigin(options.origin)
    const attributes = 'Path=/; HttpOnly; SameSite=Strict'
    // WebKit drops Secure cookies on http loopback (bug 281149); nowhere else is the weak form used.
    this.#cookie = this.#origin.startsWith('https:')
      ? { name: '__Host-pi-handoff', attributes: `${attributes}; Secure` }
      : { name: 'pi-handoff', attributes }
  }

  async handle(request: Request, context: Context): Promise<Response> {
    try {
      const route = routeOf(request)
      if (route === 'handoff') return await this.#handoff(request, context)
      if (route === 'status') return await this.#status(request, context)
      return problemResponse('not_found')
    } catch (error) {
      if (error instanceof HandoffRefusal) return problemResponse(error.code, error.allow)
      this.#tell(error, context)
      return problemResponse(publicCode(error))
    }
  }

  async #handoff(request: Request, context: Context): Promise<Response> {
    const orderId = await readHandoffRequest(request, this.#origin)
    const seal = await this.#sealed()
    const order = await this.#order(request, orderId, context)
    if (order.paid) throw new HandoffRefusal('order_already_paid')
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
    if (!order) throw new HandoffRefusal('order_not_found')
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

  #tell(error: unknown, context: Context): void {
    const { onError } = this.#options
    if (!onError) {
      // biome-ignore lint/suspicious/noConsole: a 500 that nobody hears of costs more than a line.
      console.error('pi-checkout handoff:', error)
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
