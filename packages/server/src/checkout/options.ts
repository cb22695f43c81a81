/** What a shop tells `createCheckout()`: its orders, its origin, its store, and the hooks. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import type { PaymentIntents } from '../client/payment-intents.ts'
import type { Awaitable, Payment, PaymentStore, ReviewReason } from './payment-record.ts'
import type { CheckoutOrder } from './payment-state.ts'

/** The members of `PaymentIntents` that a checkout uses. */
export type CheckoutClient = Pick<
  PaymentIntents,
  'create' | 'retrieve' | 'check' | 'scope' | 'translates'
>

/** The argument of `authorize`. */
export interface AuthorizeQuery<Context = unknown> {
  /** The order that the page asks for; `undefined` if it names none. */
  readonly orderId: string | undefined
  /** The request. In Node.js, its host is a placeholder: a client chooses `Host`. */
  readonly request: Request
  /** The request of the framework, such as that of Express. */
  readonly context: Context
}

/** The argument of `onPaid`. */
export interface PaidOrder {
  readonly orderId: string
  /** The payment. Store its `intentId` with the order. */
  readonly payment: Payment
  /** Whether you accepted it with `resolve()`. Then don't compare its amount with the order. */
  readonly accepted: boolean
}

/** The argument of `onReview`. */
export interface PaymentUnderReview extends Omit<PaidOrder, 'accepted'> {
  /**
   * `duplicate`: another payment pays for the order. `earlier_version`: the order changed after this payment was created.
   * `rejected`: `onPaid` returned false. `mismatch`: the intent has another order, amount, or currency. `order_not_found`:
   * the `order` hook returns no order.
   */
  readonly reason: ReviewReason
}

/** Where the hosted page is, and where it returns to. */
export interface FullPage {
  /** Origin of the hosted checkout, such as `https://pay.example`: `PI_CHECKOUT_ORIGIN`. */
  readonly checkoutOrigin: string
  /**
   * Returns the address of the page that shows the order's status, on `shopOrigin`. The buyer returns there with every
   * outcome, so the address proves nothing.
   * @example
   * returnUrl: (orderId) => `https://shop.example/orders/${orderId}`
   */
  readonly returnUrl: (orderId: string) => string
  /**
   * Look of the hosted page, as for `<pi-checkout>`.
   * @default The look of the hosted page
   */
  readonly appearance?: Appearance | undefined
}

/** Options of `createCheckout()`. What a hook returns is awaited. */
export interface CheckoutOptions<Context = unknown> {
  // The hooks that concern orders have no request: `reconcile()` calls them too.
  /** Returns what the order costs now, from your database. `undefined` if it cannot be paid, as after it was closed. */
  readonly order: (orderId: string) => Awaitable<CheckoutOrder | undefined>
  /** Stores the payments of each order, such as `sqlPayments(query)`. */
  readonly payments: PaymentStore
  /**
   * Marks the order as paid by this payment. It runs at least once for the one payment that pays for the order, in one
   * process at a time, and again if it throws or takes longer than 30 seconds. Change the order in one statement that
   * compares amount and currency: the order may have changed since the payment was decided.
   *
   * @returns `true` if the order has this payment, also if it had it before. `false` if the payment doesn't pay for the
   * order as it is now: then it goes to `onReview`.
   * @example
   * const onPaid = ({ orderId, payment, accepted }) => orders.markPaid(orderId, payment, accepted)
   * @see guides/payments.md, "onPaid runs at least once"
   */
  readonly onPaid: (paid: PaidOrder) => Awaitable<boolean>
  /**
   * Called at least once for each paid payment that doesn't pay for its order, by `start()` or `reconcile()`. Nothing can be
   * paid for the order until `resolve()`.
   * @default Writes the payment and the reason to stderr
   */
  readonly onReview?: ((review: PaymentUnderReview) => unknown) | undefined
  /** The client of the service. */
  readonly intents: CheckoutClient
  /**
   * Origin of the shop's pages, such as `https://shop.example`: https, or http on loopback. The routes may have another
   * origin.
   * @see guides/payments.md, "Pages on another origin"
   */
  readonly shopOrigin: string
  /**
   * Returns the id of the order that this buyer may pay and see, or `undefined`. It is the only hook that trusts a request:
   * check the session.
   */
  readonly authorize: (query: AuthorizeQuery<Context>) => Awaitable<string | null | undefined>
  /**
   * The hosted page as a separate page: `POST {basePath}/start` leads to it. Its form has `orderId`, and optionally
   * `locale`.
   * @default None: the route returns 404
   * @see guides/payments.md, "The full page"
   */
  readonly fullPage?: FullPage | undefined
  /**
   * Called with each error, and with a `HandoffRejection` for each rejected request. `context` is `undefined` outside of a
   * request, `orderId` where no order is known. Errors that it throws are ignored.
   * @default Writes the error to stderr; one line for a rejected request
   */
  readonly onError?:
    | ((about: {
        readonly error: unknown
        readonly context: Context | undefined
        readonly orderId: string | undefined
      }) => void)
    | undefined
  /**
   * Path in front of `/handoff`, `/start`, and `/status`, as the server receives it.
   * @default '/checkout'
   */
  readonly basePath?: string | undefined
}
