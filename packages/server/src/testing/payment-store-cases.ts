/** The cases that a store of payments must pass, for any test runner. @module */
import type { PaymentRow, PaymentStore } from '../checkout/payment-record.ts'
import { newId } from './fake-operations.ts'

/** A case: `run` rejects with the promise that the store breaks. */
export interface PaymentStoreCase {
  readonly title: string
  readonly run: (store: PaymentStore) => Promise<void>
}

/**
 * The promises of a `PaymentStore`. Each case uses its own scope, so the store needs no cleaning.
 *
 * @example
 * for (const { title, run } of paymentStoreCases) test(title, () => run(payments))
 */
export const paymentStoreCases: readonly PaymentStoreCase[] = [
  {
    title: 'returns nothing for an order without a row',
    run: async (store) => {
      const { scope, orderId } = newRow()
      same(await store.load(scope, orderId), undefined, 'load of an unknown order')
    },
  },
  {
    title: 'returns the text as it was saved',
    run: async (store) => {
      const row = newRow()
      same(await store.save(row), true, 'save of the first row')
      await holds(store, row, 'load after a save')
      const next = { ...row, revision: 2, checkAt: null, text: 'payments {}' }
      same(await store.save(next), true, 'save of revision 2 after 1')
      await holds(store, next, 'load after a second save')
    },
  },
  {
    title: 'separates scopes and orders, also if they differ in case or accents only',
    run: async (store) => {
      const row = newRow()
      const text = 'payments {}'
      const others = [
        { ...row, text, orderId: 'a-1001 ö' },
        { ...row, text, orderId: 'A-1001 o' },
        { ...row, text, scope: row.scope.toUpperCase() },
        { ...row, text, scope: newId('scope ') },
      ]
      await store.save(row)
      for (const other of others) {
        same(await store.load(other.scope, other.orderId), undefined, 'load of another order')
        same(await store.save(other), true, 'save of another order')
      }
      await holds(store, row, 'load after saves of other orders')
      same(await store.save({ ...row, revision: 2 }), true, 'save of revision 2 after 1')
      for (const other of others) {
        await holds(store, other, 'load of another order after revision 2')
      }
    },
  },
  {
    title: 'rejects a row whose predecessor is not stored',
    run: async (store) => {
      const row = newRow()
      same(await store.save({ ...row, revision: 2 }), false, 'save of revision 2 after none')
      same(await store.load(row.scope, row.orderId), undefined, 'load after it')
      await store.save(row)
      const other = { ...row, text: 'payments {}' }
      same(await store.save(other), false, 'a second save of revision 1')
      same(await store.save({ ...other, revision: 3 }), false, 'save of revision 3 after 1')
      await holds(store, row, 'load after both')
    },
  },
  {
    title: 'stores exactly one of several rows that are saved at the same time',
    run: async (store) => {
      const first = newRow()
      for (const revision of [1, 2]) {
        const texts = Array.from({ length: 10 }, (_, index) => `payments ${revision} ${index}`)
        const rows = texts.map((text) => ({ ...first, revision, text }))
        const saved = await Promise.all(rows.map(async (row) => store.save(row)))
        const stored = rows.filter((_, index) => saved[index] === true)
        same(stored.length, 1, `number of saves of revision ${revision} that return true`)
        await holds(store, stored[0] ?? first, 'load after them')
      }
    },
  },
  {
    title: 'returns the orders that are due, the earliest first',
    run: async (store) => {
      const now = Date.UTC(2026, 0, 1, 12)
      const row = newRow()
      const due = async (limit: number): Promise<string> =>
        JSON.stringify(await store.due(row.scope, new Date(now), limit))
      const ids = Array.from({ length: 120 }, (_, index) => String((index * 7) % 120))
      const at = (orderId: string, time: number): PaymentRow => {
        return { ...row, orderId, checkAt: new Date(time), text: 'payments {}' }
      }
      const rows = ids.map((orderId, index) => at(orderId, now - 119 + index))
      const unordered = rows.toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1))
      await Promise.all(unordered.map(async (one) => store.save(one)))
      await store.save(at('later', now + 1))
      await store.save({ ...row, orderId: 'settled', checkAt: null })
      await store.save({ ...at('elsewhere', now), scope: newId('scope ') })
      same(await due(200), JSON.stringify(ids), 'due')
      same(await due(3), JSON.stringify(ids.slice(0, 3)), 'due with limit 3')
      await store.save({ ...row, orderId: '0', revision: 2, checkAt: null })
      same(await due(2), JSON.stringify(ids.slice(1, 3)), 'due after the first was settled')
    },
  },
]

function newRow(): PaymentRow {
  const scope = newId('scope ')
  const checkAt = new Date('2026-01-01T12:01:00.007Z')
  const notes = { cart_id: 'ö "1" \'2\' \\ ? $1', cartId: '🙂 \u0000 \n', ' A': '' }
  // An order may have a hundred payments, with their metadata.
  const text = `payments ${JSON.stringify(Array.from({ length: 3000 }, () => notes))}`
  return { scope, orderId: 'A-1001 ö', revision: 1, checkAt, text }
}

async function holds(store: PaymentStore, row: PaymentRow, about: string): Promise<void> {
  same(await store.load(row.scope, row.orderId), row.text, about)
}

function same(actual: unknown, expected: unknown, about: string): void {
  if (actual === expected) return
  const [received, wanted] = [actual, expected].map((value) => String(value).slice(0, 300))
  throw new Error(`${about}: must be ${wanted}; received ${received}.`)
}
