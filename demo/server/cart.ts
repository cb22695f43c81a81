/** The cart of one session: products and quantities. Prices are looked up when it is read. @module */
import { findProduct } from './catalogue.ts'
import type { Database } from './database.ts'

export interface Line {
  readonly product: string
  readonly quantity: number
  /** Minor units, for one piece. */
  readonly price: number
}

/** Maximum quantity of one product in a cart. */
export const mostPerProduct = 20

/** Reads a session's cart at current prices, without products that are no longer sold. */
export function readCart(db: Database, session: string): readonly Line[] {
  const rows = db
    .prepare('select product, quantity from cart_lines where session = ? order by rowid')
    .all(session) as Omit<Line, 'price'>[]
  return rows.flatMap((row) => {
    const price = findProduct(row.product)?.price
    return price === undefined ? [] : [{ ...row, price }]
  })
}

/** Sets the quantity of a product in the cart. 0 removes the product. */
export function setCartLine(
  db: Database,
  line: Omit<Line, 'price'> & { readonly session: string },
): void {
  const { session, product, quantity } = line
  if (quantity === 0) {
    db.prepare('delete from cart_lines where session = ? and product = ?').run(session, product)
    return
  }
  db.prepare(
    `insert into cart_lines (session, product, quantity) values (?, ?, ?)
     on conflict (session, product) do update set quantity = excluded.quantity`,
  ).run(session, product, quantity)
}

/** Returns the sum of all lines, in minor units. */
export function totalOf(lines: readonly Line[]): number {
  return lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
}
