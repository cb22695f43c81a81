/** JSON for the shop's pages. Amounts are formatted: pages display them and never calculate. @module */

/** Data of each page's header. */
export interface Frame {
  readonly language: string
  readonly currency: string
  readonly currencies: readonly string[]
  readonly pieces: number
  /** Address of the service's inspector, in development. */
  readonly inspectorUrl: string | null
}

export interface ProductData {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly price: string
  /** Quantity in the cart, and its maximum. */
  readonly quantity: number
  readonly most: number
}

export interface LineData {
  readonly product: string
  readonly name: string
  readonly quantity: number
  readonly price: string
  readonly total: string
}

export interface CatalogueData {
  readonly frame: Frame
  readonly products: readonly ProductData[]
}

export interface CartData {
  readonly frame: Frame
  readonly lines: readonly LineData[]
  readonly total: string
  readonly most: number
  /** The order whose payment the bank is processing. "Check out" then leads to it. */
  readonly pendingOrder: string | null
}

/** State of an order. `failed` can be paid again. */
export type OrderState = 'open' | 'processing' | 'paid' | 'failed'

export interface OrderData {
  readonly frame: Frame
  readonly order: {
    readonly id: string
    readonly state: OrderState
    readonly amount: string
    readonly lines: readonly LineData[]
    readonly placedAt: string
    readonly paidAt: string | null
    /** Such as `Visa •••• 4242`. */
    readonly paidWith: string | null
    /** Whether a handoff was created. Without one there is no payment. */
    readonly handedOff: boolean
    /** Whether a payment form may open for it now. */
    readonly payable: boolean
    /** Amounts of payments for an earlier version of this order, to review manually. */
    readonly earlierPayments: readonly string[]
  }
}

export interface OrdersData {
  readonly frame: Frame
  readonly orders: readonly {
    readonly id: string
    readonly state: OrderState
    readonly amount: string
    readonly placedAt: string
    readonly products: readonly string[]
  }[]
}
