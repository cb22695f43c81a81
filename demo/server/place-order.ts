/** An order never changes. "Check out" moves the cart into a new order, and "Edit order" moves it back. @module */
import { randomInt } from 'node:crypto'
import { mostPerProduct, readCart, totalOf } from './cart.ts'
import { currency } from './catalogue.ts'
import type { Database } from './database.ts'
import { newestOrder } from './orders.ts'

/**
 * Moves the cart into a new order.
 *
 * @returns The id of the order. With an empty cart, as after a double click, it is that of the newest order, if any.
 */
export function placeOrder(db: Database, session: string): string | undefined {
  const place = db.transaction(() => {
    const lines = readCart(db, session)
    if (lines.length === 0) return newestOrder(db, session)?.id
    const id = `TS-${randomInt(1e9, 1e10)}`
    db.prepare(
      'insert into orders (id, session, currency, amount, placed_at) values (?, ?, ?, ?, ?)',
    ).run(id, session, currency, totalOf(lines), new Date().toISOString())
    const insert = db.prepare(
      'insert into order_lines (order_id, product, quantity, price) values (?, ?, ?, ?)',
    )
    for (const { product, quantity, price } of lines) insert.run(id, product, quantity, price)
    db.prepare('delete from cart_lines where session = ?').run(session)
    return id
  })
  return place.immediate()
}

/** Closes an order that is not paid, and restores its lines to the cart. A late payment for it goes to review. */
export function closeOrder(db: Database, orderId: string): void {
  const close = db.transaction(() => {
    const { changes } = db
      .prepare(
        'update orders set closed_at = ? where id = ? and closed_at is null and paid_by is null',
      )
      .run(new Date().toISOString(), orderId)
    if (changes === 0) return
    db.prepare(
      `insert into cart_lines (session, product, quantity)
       select o.session, l.product, l.quantity from order_lines l
         join orders o on o.id = l.order_id where o.id = ? order by l.rowid
       on conflict (session, product) do update set quantity = min(quantity + excluded.quantity, ?)`,
    ).run(orderId, mostPerProduct)
  })
  close.immediate()
}
