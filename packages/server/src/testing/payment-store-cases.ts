/** The cases that a store of payments must pass, for any test runner. @module */
import canonicalize from 'canonicalize'
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
      const { scope, orderId } = recordOf(1)
      same(await store.load(scope, orderId), undefined, 'load of an unknown order')
    },
  },
  {
    title: 'returns the record as it was saved',
    run: async (store) => {
      const record = recordOf(1)
      same(await store.save(record), true, 'save of the first record')
      same(await store.load(record.scope, record.orderId), record, 'load after a save')
      const next = { ...record, revision: 2, checkAt: null, payments: [] }
      same(await store.save(next), true, 'save of revision 2 after 1')
      same(await store.load(record.scope, record.orderId), next, 'load after a second save')
    },
  },
  {
    title: 'separates scopes and orders',
    run: async (store) => {
      const record = recordOf(1)
      await store.save(record)
      same(await store.load(newId('scope '), record.orderId), undefined, 'load in another scope')
      same(await store.load(record.scope, 'B-2'), undefined, 'load of another order')
    },
  },
  {
    title: 'rejects a record whose predecessor is not stored',
    run: async (store) => {
      const record = recordOf(1)
      same(await store.save({ ...record, revision: 2 }), false, 'save of revision 2 after none')
      same(await store.load(record.scope, record.orderId), undefined, 'load after it')
      await store.save(record)
      const other = { ...record, payments: [] }
      same(await store.save(other), false, 'a second save of revision 1')
      same(await store.save({ ...other, revision: 3 }), false, 'save of revision 3 after 1')
      same(await store.load(record.scope, record.orderId), record, 'load after both')
    },
  },
  {
    title: 'stores exactly one of several records that are saved at the same time',
    run: async (store) => {
      const first = recordOf(1)
      for (const revision of [1, 2]) {
        const records = Array.from({ length: 10 }, (_, index) => ({
          ...recordOf(revision, `pi_${index}`),
          scope: first.scope,
        }))
        const saved = await Promise.all(records.map(async (record) => store.save(record)))
        const stored = records.filter((_, index) => saved[index] === true)
        same(stored.length, 1, `number of saves of revision ${revision} that return true`)
        same(await store.load(first.scope, first.orderId), stored[0], 'load after them')
      }
    },
  },
  {
    title: 'returns the orders that are due, the earliest first',
    run: async (store) => {
      const { scope } = recordOf(1)
      const at = (orderId: string, checkAt: Date | null): PaymentRecord => ({
        ...recordOf(1),
        scope,
        orderId,
        checkAt,
      })
      const now = Date.UTC(2026, 0, 1, 12)
      await store.save(at('later', new Date(now + 1)))
      await store.save(at('second', new Date(now)))
      await store.save(at('done', null))
      await store.save(at('first', new Date(now - 60_000)))
      await store.save({ ...at('other scope', new Date(now)), scope: newId('scope ') })
      same(await store.due(scope, new Date(now), 10), ['first', 'second'], 'due')
      same(await store.due(scope, new Date(now), 1), ['first'], 'due with limit 1')
      await store.save({ ...at('first', null), revision: 2 })
      same(await store.due(scope, new Date(now), 10), ['second'], 'due after a change')
    },
  },
]

function recordOf(revision: number, intentId = 'pi_0'): PaymentRecord {
  const payment: Payment = {
    intentId,
    version: '150000 AMD {"note":"ö \\"quoted\\" \'1\' ?"}',
    attempt: 1,
    amount: 9007199254740991,
    currency: 'AMD',
    phase: 'open',
    decision: null,
    done: false,
    createdAt: '2026-01-01T12:00:00.000Z',
    checkAt: '2026-01-01T12:01:00.007Z',
    checks: 0,
  }
  return {
    scope: newId('scope '),
    orderId: 'A-1001 ö',
    revision,
    checkAt: new Date('2026-01-01T12:01:00.007Z'),
    payments: [payment],
  }
}

function same(actual: unknown, expected: unknown, about: string): void {
  // A store may change the order of the names.
  const [received, wanted] = [canonicalize(actual), canonicalize(expected)]
  if (received === wanted) return
  throw new Error(`${about}: must be ${String(wanted)}; received ${String(received)}.`)
}
