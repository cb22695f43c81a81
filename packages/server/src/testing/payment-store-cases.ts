/** The cases that a store of payments must pass, for any test runner. @module */
import canonicalize from 'canonicalize'
import { checkedDue, checkedRecord } from '../checkout/checked-record.ts'
import type { Payment, PaymentRecord, PaymentStore } from '../checkout/payment-record.ts'
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
    title: 'returns nothing for an order without a record',
    run: async (store) => {
      const { scope, orderId } = recordOf()
      same(await store.load(scope, orderId), undefined, 'load of an unknown order')
    },
  },
  {
    title: 'returns the record as it was saved',
    run: async (store) => {
      const record = recordOf()
      same(await store.save(record), true, 'save of the first record')
      same(await loaded(store, record), record, 'load after a save')
      const next = { ...record, revision: 2, checkAt: null, payments: [] }
      same(await store.save(next), true, 'save of revision 2 after 1')
      same(await loaded(store, next), next, 'load after a second save')
    },
  },
  {
    title: 'separates scopes and orders, also if they differ in case or accents only',
    run: async (store) => {
      const record = recordOf()
      const others = [
        { ...record, orderId: 'a-1001 ö' },
        { ...record, orderId: 'A-1001 o' },
        { ...record, scope: record.scope.toUpperCase() },
        { ...record, scope: newId('scope ') },
      ]
      await store.save(record)
      for (const other of others) {
        same(await store.load(other.scope, other.orderId), undefined, 'load of another order')
        same(await store.save({ ...other, payments: [] }), true, 'save of another order')
      }
      same(await loaded(store, record), record, 'load after saves of other orders')
      same(await store.save({ ...record, revision: 2 }), true, 'save of revision 2 after 1')
      for (const other of others) {
        const unchanged = { ...other, payments: [] }
        same(await loaded(store, other), unchanged, 'load of another order after revision 2')
      }
    },
  },
  {
    title: 'rejects a record whose predecessor is not stored',
    run: async (store) => {
      const record = recordOf()
      same(await store.save({ ...record, revision: 2 }), false, 'save of revision 2 after none')
      same(await store.load(record.scope, record.orderId), undefined, 'load after it')
      await store.save(record)
      const other = { ...record, payments: [] }
      same(await store.save(other), false, 'a second save of revision 1')
      same(await store.save({ ...other, revision: 3 }), false, 'save of revision 3 after 1')
      same(await loaded(store, record), record, 'load after both')
    },
  },
  {
    title: 'stores exactly one of several records that are saved at the same time',
    run: async (store) => {
      const first = recordOf()
      for (const revision of [1, 2]) {
        const payments = Array.from({ length: 10 }, (_, index) => paymentOf(`pi_${index}`))
        const records = payments.map((payment) => ({ ...first, revision, payments: [payment] }))
        const saved = await Promise.all(records.map(async (record) => store.save(record)))
        const stored = records.filter((_, index) => saved[index] === true)
        same(stored.length, 1, `number of saves of revision ${revision} that return true`)
        same(await loaded(store, first), stored[0], 'load after them')
      }
    },
  },
  {
    title: 'returns the orders that are due, the earliest first',
    run: async (store) => {
      const now = Date.UTC(2026, 0, 1, 12)
      const record = recordOf()
      const due = async (limit: number): Promise<readonly string[]> =>
        checkedDue(await store.due(record.scope, new Date(now), limit))
      const ids = Array.from({ length: 120 }, (_, index) => `A-${(index * 7) % 120}`)
      const at = (orderId: string, time: number): PaymentRecord => {
        return { ...record, orderId, checkAt: new Date(time) }
      }
      const records = ids.map((orderId, index) => at(orderId, now - 119 + index))
      const unordered = records.toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1))
      await Promise.all(unordered.map(async (one) => store.save(one)))
      await store.save(at('later', now + 1))
      await store.save({ ...record, orderId: 'settled', checkAt: null })
      await store.save({ ...at('elsewhere', now), scope: newId('scope ') })
      same(await due(200), ids, 'due')
      same(await due(3), ids.slice(0, 3), 'due with limit 3')
      await store.save({ ...record, orderId: 'A-0', revision: 2, checkAt: null })
      same(await due(2), ids.slice(1, 3), 'due after the first was settled')
    },
  },
]

function recordOf(): PaymentRecord {
  const scope = newId('scope ')
  const checkAt = new Date('2026-01-01T12:01:00.007Z')
  const payments = [paymentOf('pi_b'), paymentOf('pi_a')]
  return { scope, orderId: 'A-1001 ö', revision: 1, checkAt, payments }
}

function paymentOf(intentId: string): Payment {
  const amount = Number.MAX_SAFE_INTEGER
  const metadata = { cart_id: 'ö "1" \'2\' \\ ? $1', cartId: '🙂 \u0000 \n', ' A': '' }
  const payment = {
    intentId,
    version: `${amount} AMD`,
    attempt: 1,
    amount,
    currency: 'AMD',
    state: 'open',
    reason: undefined,
    createdAt: '2026-01-01T12:00:00.000Z',
    handedAt: '2026-01-01T12:00:30.120Z',
    body: { orderId: 'A-1001 ö', amount, currency: 'AMD', metadata },
  } as const
  // A later version may add fields.
  return Object.assign(payment, { later_field: { of_it: [null, 0.1, ''] } })
}

async function loaded(store: PaymentStore, record: PaymentRecord): Promise<PaymentRecord> {
  return checkedRecord(await store.load(record.scope, record.orderId), record)
}

function same(actual: unknown, expected: unknown, about: string): void {
  // A store may change the order of the names.
  const [received, wanted] = [canonicalize(actual), canonicalize(expected)]
  if (received === wanted) return
  throw new Error(`${about}: must be ${String(wanted)}; received ${String(received)}.`)
}
