/** The cart of one session: products and quantities. Prices are looked up when it is read. @module */
import type { Currency } from '@pi-checkout/server'
import { findProduct } from './catalogue.ts'
import type { Database } from './database.ts'

/** `price` is minor units of the cart's currency, for one piece. */
export interface Line {
  readonly product: string
  readonly quantity: number
  readonly price: number
}

/** Maximum quantity of one product in a cart. */
export const mostPerProduct = 20

/** Reads a session's cart at current prices, without products that are no longer sold. */
export function readCart(
  db: Database,
  { session, currency }: { readonly session: string; readonly currency: Currency },
): readonly Line[] {
  return cartRows(db, session).flatMap(({ product, quantity }) => {
    const price = findProduct(product)?.prices[currency]
    return price === undefined ? [] : [{ product, quantity, price }]
  })
}

/**
 * Sets the quantity of a product in the cart. 0 removes the product.
 *
 * @param line - `was`: the quantity that the change is based on.
 * @returns Whether the cart had that quantity. If not, nothing changes.
 */
export function setCartLine(
  db: Database,
  line: {
    readonly session: string
    readonly product: string
    readonly quantity: number
    readonly was?: number | undefined
  },
): boolean {
  const { session, product, quantity, was } = line
  const set = db.transaction(() => {
    const current = cartRows(db, session).find((row) => row.product === product)?.quantity ?? 0
    if (was !== undefined && was !== current) return false
    if (quantity === 0) {
      db.prepare('delete from cart_lines where session = ? and product = ?').run(session, product)
      return true
    }
    db.prepare(
      `insert into cart_lines (session, product, quantity) values (?, ?, ?)
       on conflict (session, product) do update set quantity = excluded.quantity`,
    ).run(session, product, quantity)
    return true
  })
  return set.immediate()
}

/** Returns the sum of all lines, in minor units. */
export function totalOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
}

function cartRows(db: Database, session: string): { product: string; quantity: number }[] {
  return db
    .prepare('select product, quantity from cart_lines where session = ? order by rowid')
    .all(session) as { product: string; quantity: number }[]
}
