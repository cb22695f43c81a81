/** What the explorer has to know of a shop, and what it offers to an adapter. @module */

/** What the shop itself has stored about an order. */
export interface OrderRecord {
  /** `review`: a payment that an employee has to look at. */
  readonly state: 'open' | 'processing' | 'paid' | 'failed' | 'review'
  /**
   * Ids of intents that an employee has to look at: payments for an earlier version of the order, and duplicates.
   * @default A paid order may have further paid intents
   */
  readonly reviews?: readonly string[]
  /**
   * How often the shop has fulfilled the order: shipped it, or sent its receipt.
   * @default Fulfilment is not checked
   */
  readonly fulfilments?: number
}

/** A buyer of the shop, with cookies of their own. */
export interface AdapterBuyer {
  /** `A` or `B`. */
  readonly name: string
  /**
   * Sends a request to the shop with this buyer's cookies and the shop's `Origin`. Follows redirects within the shop.
   *
   * @param path - Path at the shop, such as `/cart`.
   * @param init - As for `fetch`, with text as JSON or a form.
   */
  fetch(path: string, init?: BuyerRequest): Promise<Response>
}

/** A request of a buyer: `POST` with a body, else `GET`, if no method is given. */
export interface BuyerRequest {
  readonly method?: string
  /** Added to the browser's headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** JSON as text, or a form. */
  readonly body?: string | URLSearchParams
}

/** Paths at the shop. */
export interface ShopRoutes {
  /**
   * The page with the payment form.
   * @default /
   */
  readonly page?: string
  /**
   * `POST`: returns `{ id, clientSecret }`.
   * @default /checkout/handoff
   */
  readonly handoff?: string
  /**
   * `GET`: returns `{ phase }`.
   * @default /checkout/status
   */
  readonly status?: string
}

/** An order as it is now. */
export interface PlacedOrder {
  /**
   * Its amount in minor units. With it, a payment of another amount must not make the order paid.
   * @default unknown
   */
  readonly amount?: number
  /**
   * Its currency, such as `AMD`. With it, a payment in another currency must not be handed out.
   * @default unknown
   */
  readonly currency?: string
  /**
   * Its id, if the shop's page sends it with the handoff.
   * @default the buyer's only order
   */
  readonly orderId?: string
}

/**
 * Describes a shop that differs from `createCheckout()` under `/checkout`. Each part is optional.
 *
 * @example
 * export default {
 *   begin: async (buyer) => void (await buyer.fetch('/basket', { body: '{"tea":1}' })),
 *   record: async (buyer, orderId) => await (await buyer.fetch(`/orders/${orderId}.json`)).json(),
 * }
 */
export interface Adapter {
  /**
   * Paths that differ from the defaults.
   * @default see `ShopRoutes`
   */
  readonly routes?: ShopRoutes
  /**
   * Whether the shop's orders survive a restart. Without it, the shop is not restarted within a sequence.
   * @default false
   */
  readonly survivesRestart?: boolean
  /**
   * Milliseconds within which the shop must know of a payment whose buyer did not come back. A shop on Node.js gets a
   * clock that is faster then: an hour and more passes. For another runtime, set it to more than a minute.
   * @default 3000
   */
  readonly settlesWithin?: number
  /**
   * Variables of the shop for one sequence. `folder` is empty at its beginning, and survives restarts in it. `origin` is
   * that of the buyers' pages.
   * @default none
   */
  readonly env?: (sequence: {
    readonly folder: string
    readonly origin: string
  }) => Readonly<Record<string, string>>
  /**
   * Puts the same things into the cart, and checks out. Called each time a buyer opens the page. A reload must return
   * the same order until it is paid or closed, as your page does: a new order is a new purchase, which can be paid too.
   * @default Nothing: the page is enough
   * @returns The order, or `undefined` if the shop finds it by the session.
   */
  readonly begin?: (buyer: AdapterBuyer) => Promise<PlacedOrder | undefined>
  /**
   * Changes the order so that it has another amount.
   * @default Orders are not edited
   * @returns The order after the edit, or `undefined` if the shop has rejected it.
   */
  readonly edit?: (buyer: AdapterBuyer) => Promise<PlacedOrder | undefined>
  /**
   * Sends what the page sends after `pi-finish`, besides the status. It may be forged.
   * @default Nothing
   */
  readonly finish?: (
    buyer: AdapterBuyer,
    payment: { readonly id: string; readonly orderId: string },
  ) => Promise<unknown>
  /**
   * Reads what the shop has stored about an order. It must not retrieve the intent.
   * @default The records are not checked
   * @returns `undefined` if the shop has no such order.
   */
  readonly record?: (buyer: AdapterBuyer, orderId: string) => Promise<OrderRecord | undefined>
}

const parts: readonly (keyof Adapter)[] = [
  'begin',
  'edit',
  'env',
  'finish',
  'record',
  'routes',
  'settlesWithin',
  'survivesRestart',
]

/** @throws {TypeError} If a part is unknown: it would check nothing. */
export function checkAdapter(adapter: object): asserts adapter is Adapter {
  const unknown = Object.keys(adapter).find((name) => !(parts as readonly string[]).includes(name))
  if (unknown === undefined) return
  const rule = `is not a part of an adapter. The parts are ${parts.join(', ')}.`
  throw new TypeError(`adapter.${unknown}: ${rule}`)
}

/** Returns what needs a part that the adapter does not have, or that none of these records has. */
export function notChecked(
  { begin, edit, finish, survivesRestart, record }: Adapter,
  records: readonly Partial<Record<keyof OrderRecord, unknown>>[],
): string[] {
  const isRecorded = (part: keyof OrderRecord): boolean =>
    records.length === 0 ? record !== undefined : records.some((each) => each[part] !== undefined)
  const checked = {
    'the price of an order (begin)': begin,
    'orders that are edited (edit)': edit,
    'what the page sends after pi-finish (finish)': finish,
    'restarts of the shop (survivesRestart)': survivesRestart,
    'payments of buyers who do not come back (state)': isRecorded('state'),
    'payments that need a review (reviews)': isRecorded('reviews'),
    'double fulfilment (fulfilments)': isRecorded('fulfilments'),
  }
  return Object.entries(checked).flatMap(([text, isChecked]) => (isChecked ? [] : [text]))
}
