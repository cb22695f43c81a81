import { readFileSync } from 'node:fs'
import Database from 'libsql'
import { expect, test } from 'vitest'

const guide = readFileSync(new URL('../guides/payments.md', import.meta.url), 'utf8')
const [table = ''] = /create table orders [^;]*;/.exec(guide) ?? []
const [statement = ''] = /update orders set paid_by = [^`]*/.exec(guide) ?? []

/** Runs the statement of the guide in a shop with one order. Returns whether it changes the order. */
function pays(order: object, accepted: boolean): boolean {
  const db = new Database(':memory:')
  db.exec(table)
  const row = { id: 'A-1001', amount: 100, currency: 'AMD', paid_by: null, ...order }
  db.prepare('insert into orders values (:id, :amount, :currency, :paid_by)').run(row)
  const values = ['pi_1', row.id, 100, 'AMD', Number(accepted)]
  return (
    db.prepare(statement.replaceAll('$', '?').replace('returning id', '')).run(...values)
      .changes === 1
  )
}

test.each([
  [true, 'an order', {}, false],
  [false, 'an order with another amount', { amount: 200 }, false],
  [false, 'an order in another currency', { currency: 'USD' }, false],
  [true, 'an order with another amount, if it is accepted', { amount: 200 }, true],
  [true, 'an order that it has paid', { paid_by: 'pi_1' }, false],
  [
    true,
    'an order that it has paid and that changed since',
    { paid_by: 'pi_1', amount: 200 },
    false,
  ],
  [false, 'an order that another payment has paid', { paid_by: 'pi_2' }, false],
  [false, 'an order that another payment has paid, if it is accepted', { paid_by: 'pi_2' }, true],
])('onPaid of the guide returns %s for %s', (result, _, order, accepted) => {
  expect(pays(order, accepted)).toBe(result)
})
