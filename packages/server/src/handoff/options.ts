/** What a shop tells `createHandoff()`: its orders, its origin, and the hooks. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import type { CreateParams } from '../client/create-params.ts'
import type { PaymentIntents } from '../client/payment-intents.ts'

/** An order of the shop, as the `order` hook returns it. */
export interface HandoffOrder extends CreateParams {
  /** The current intent, as `saveIntent` stored it; `null` or `undefined` before the first, and after a failed one. */
  readonly intentId: string | null | undefined
  /**
   * Number of the intent for this order, as `settle` stored it. A raised number creates another intent.
   * @default 1
   */
  readonly attempt?: number | undefined
  /**
   * Whether the order is paid. Then the phase is `paid` without a request, and a handoff is rejected.
   * @default false
   */
  readonly paid?: boolean | undefined
}

/** An order with an intent, for `reconcile()`. */
export type OpenOrder<Order extends HandoffOrder = HandoffOrder> = Order & {
  readonly intentId: string
  /** Earlier intents of this order, which a changed cart or a new attempt replaced. */
  readonly oldIntentIds?: readonly string[] | undefined
}

/** The members of `PaymentIntents` that a handoff uses. */
export type HandoffClient = Pick<PaymentIntents, 'create' | 'retrieve' | 'keyFor'> &
  Partial<Pick<PaymentIntents, 'check' | 'tenant'>>

/** The request that a hook belongs to. */
export interface HookRequest<Context = unknown> {
  /** The request. In Node.js, its host is a placeholder: a client chooses `Host`. */
  readonly request: Request
  /** The request of the framework, such as that of Express. */
  readonly context: Context
}

/** The argument of `order`. */
export interface OrderQuery<Context = unknown> extends HookRequest<Context> {
  /** The requested order; `undefined` for the current order of the session. */
  readonly orderId: string | undefined
}

/** The argument of `saveIntent`. */
export interface CreatedForOrder<Order extends HandoffOrder, Context = unknown>
  extends HookRequest<Context> {
  /** As `order` returned it. */
  readonly order: Order
  /** The intent. Store its id as `intentId` of the order. */
  readonly intent: PaymentIntent
}

/** The argument of `settle`. */
export interface Settlement<Order extends HandoffOrder> {
  /** As `order` returned it, or as it was passed to `reconcile()`. */
  readonly order: Order
  /** The order's intent. It matches the order in id, order, amount, and currency. */
  readonly intent: PaymentIntent
  /** Whether the intent paid the order, or failed finally. */
  readonly phase: 'paid' | 'failed'
  /** `attempt` to store: after a failed intent one more than `order.attempt`, otherwise the same. */
  readonly nextAttempt: number
}

/** Options of the cookie with which a browser resumes its handoff after a reload. */
export interface ResumeCookieOptions {
  /**
   * Keys: `k2:…,k1:…`. The first encrypts, every key decrypts.
   * @default `PI_HANDOFF_KEYS`
   */
  readonly keys?: string | undefined
  /**
   * Name, without a prefix. On https, `__Host-` precedes it, or `__Secure-` with another path than `/`.
   * @default 'pi-handoff'
   */
  readonly name?: string | undefined
  /**
   * Path for which the browser sends it. It must include the routes of the handoff.
   * @default '/'
   */
  readonly path?: string | undefined
  /**
   * Seconds for which it is valid: 1 to 86400.
   * @default 1800
   */
  readonly maxAge?: number | undefined
}

/** Options of `createHandoff()`. What a hook returns is awaited. */
export interface HandoffOptions<Order extends HandoffOrder = HandoffOrder, Context = unknown> {
  /** The client, or for several merchants a function that returns the client of the order's merchant. */
  readonly intents: HandoffClient | ((about: { readonly order: Order }) => Awaitable<HandoffClient>)
  /**
   * Origin of the shop, such as `https://shop.example`: https, or http on loopback. Several as a list, or a function that
   * returns the one at which this request may arrive; `undefined` rejects the request.
   */
  readonly shopOrigin:
    | string
    | readonly string[]
    | ((about: HookRequest<Context>) => Awaitable<string | undefined>)
  /** Returns the order, with the shop's price, if the session owns it. Otherwise it returns `undefined`. */
  readonly order: (query: OrderQuery<Context>) => Awaitable<Order | undefined>
  /**
   * Stores the id of the intent as `intentId` of the order. Runs before the page gets the intent, and again after a reload.
   *
   * Store it only while the order is unpaid and has the `amount`, `currency`, and `attempt` of `order`: a slow request would
   * replace a newer intent, which the buyer may pay. Otherwise return `false`. Then the page does not get the intent, and
   * the handoff reads the order again.
   *
   * @example
   * const saveIntent = async ({ order: { orderId, amount, currency, attempt = 1 }, intent }) => {
   *   const { rowCount } = await db.query(
   *     `update orders set intent_id = $1
   *       where id = $2 and amount = $3 and currency = $4 and attempt = $5 and not paid`,
   *     [intent.id, orderId, amount, currency, attempt],
   *   )
   *   return rowCount > 0
   * }
   */
  readonly saveIntent: (created: CreatedForOrder<Order, Context>) => unknown
  /**
   * Marks the order as paid, or removes its failed intent and stores `nextAttempt`. Change the order only while its
   * `intentId` is `intent.id`: the hook can run more than once for one intent. Set a timeout for your database: calls that
   * wait for the hook fail after 30 seconds, and the next call runs it again.
   */
  readonly settle: (settlement: Settlement<Order>) => unknown
  /**
   * Returns the session id to which the resume cookie is bound.
   * @default None: for a shop without sessions
   */
  readonly session?: ((about: HookRequest<Context>) => Awaitable<string | undefined>) | undefined
  /**
   * Called with each error, with a `HandoffRejection` for each rejected request, and with a payment that needs a review.
   * `context` is `undefined` for `reconcile()`. Errors that it throws are ignored.
   * @default Writes the error to stderr; one line for a rejected request
   */
  readonly onError?:
    | ((about: { readonly error: unknown; readonly context: Context | undefined }) => void)
    | undefined
  /**
   * Path in front of `/handoff` and `/status`, as the server receives it.
   * @default '/checkout'
   */
  readonly basePath?: string | undefined
  /**
   * Saves the create after a reload; `false` for no cookie. Without it, the same create finds the intent.
   * @default A cookie if `PI_HANDOFF_KEYS` is set, otherwise none
   */
  readonly resumeCookie?: ResumeCookieOptions | false | undefined
}

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>
