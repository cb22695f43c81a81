// What the documents' examples expect from the reader's shop.

/** The reader's own table of orders. */
declare const orders: {
  ownedBy(sessionId: string, orderId: string | undefined): Promise<string | undefined>
  find(orderId: string): Promise<import('@pi-checkout/server').CheckoutOrder | undefined>
  markPaid(orderId: string, payment: import('@pi-checkout/server').Payment): Promise<boolean>
}

/** The reader's database. */
// biome-ignore lint/suspicious/noExplicitAny: rows of a database.
declare function query(sql: string, values: readonly (string | number)[]): Promise<any[]>
// biome-ignore lint/suspicious/noExplicitAny: rows of a database.
declare const pool: { query(sql: string, values: unknown[]): Promise<{ readonly rows: any[] }> }

/** The reader's checkout. */
declare const checkout: import('@pi-checkout/server').Checkout

declare namespace Express {
  interface Request {
    readonly session: { readonly id: string }
  }
}

/** Next.js, which the framework tests install. */
declare module 'next/server' {
  export function connection(): Promise<void>
  export const NextResponse: { next(init?: { request: { headers: Headers } }): Response }
}
