// What the documents' examples expect from the reader's shop.
interface Order {
  readonly orderId: string
  readonly amount: number
  readonly currency: import('@pi-checkout/server').Currency
  readonly attempt: number
  readonly intentId: string | null
  readonly paid: boolean
}
type OpenOrder = Order & { readonly intentId: string; readonly oldIntentIds?: readonly string[] }

/** The self-contained file, which the checkout serves. */
declare module '*/v1/pi-checkout.js' {
  export * from '@pi-checkout/element'
  export * from '@pi-checkout/element/client'
}

/** The reader's own table of orders. */
declare const orders: {
  ownedBy(sessionId: string, orderId: string | undefined): Promise<Order | undefined>
  open(): AsyncIterable<OpenOrder>
  saveIntent(order: Order, intentId: string): Promise<boolean>
  settle(
    orderId: string,
    result: { readonly ifIntent: string; readonly paid: boolean; readonly attempt: number },
  ): Promise<void>
  flagForReview(orderId: string, reason: string, intentId: string): Promise<void>
}

/** The reader's handler. */
declare const checkout: import('@pi-checkout/server').HandoffHandler<Order>

/** Playwright's, inside a test. */
declare const page: import('@playwright/test').Page
declare const expect: typeof import('@playwright/test').expect

declare namespace Express {
  interface Request {
    readonly session: { readonly id: string }
  }
}

/** Vite's, in the examples' pages. */
interface ImportMeta {
  readonly env: Readonly<Record<string, string>>
}

/** Next.js, which the framework tests install. */
declare module 'next/server' {
  export function connection(): Promise<void>
}
