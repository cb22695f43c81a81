import { expect, test } from 'vitest'
import { memoryPayments, type PaymentRow, type PaymentStore } from '../../src/index.ts'
import { paymentStoreCases } from '../../src/testing/fake-service.ts'

const memory = memoryPayments()

const loading = (change: (text: string) => unknown): PaymentStore => ({
  ...memory,
  load: async (scope, orderId) => {
    const text = await memory.load(scope, orderId)
    return text && (change(text) as string)
  },
})
const finding = (change: (ids: readonly string[]) => unknown): PaymentStore => ({
  ...memory,
  due: async (...args) => change(await memory.due(...args)) as string[],
})
/** Stores a row under another scope or order id, and returns it with its own. */
const naming = (of: 'scope' | 'orderId', change: (id: string) => string): PaymentStore => {
  const { load, save, due } = memoryPayments()
  const ids = new Map<string, string>()
  const named = <Id extends { scope: string; orderId: string }>(id: Id) => ({
    ...id,
    [of]: change(id[of]),
  })
  return {
    load: (scope, orderId) => {
      const id = named({ scope, orderId })
      return load(id.scope, id.orderId)
    },
    save: (row) => {
      const id = named(row)
      ids.set(id.orderId, row.orderId)
      return save(id)
    },
    due: async (scope, now, limit) => {
      const found = await due(named({ scope, orderId: '' }).scope, now, limit)
      return found.map((id) => ids.get(id) ?? id)
    },
  }
}

/** Writes each row for which `mayWrite` says so, whatever is stored then. */
function overwriting(
  mayWrite: (row: PaymentRow, stored: number) => boolean | Promise<boolean>,
): PaymentStore {
  const revisions = new Map<string, number>()
  return {
    ...memory,
    save: async (row) => {
      const id = row.scope + row.orderId
      if (!(await mayWrite(row, revisions.get(id) ?? 0))) return false
      const revision = (revisions.get(id) ?? 0) + 1
      revisions.set(id, revision)
      return memory.save({ ...row, revision })
    },
  }
}

/** Changes an order's rows of all scopes, as an update that does not compare the scope. */
function updatingAllScopes(): PaymentStore {
  const store = memoryPayments()
  const scopes = new Set<string>()
  return {
    ...store,
    save: async (row) => {
      scopes.add(row.scope)
      const changed = row.revision === 1 ? [row.scope] : [...scopes]
      const saved = await Promise.all(changed.map(async (scope) => store.save({ ...row, scope })))
      return saved.includes(true)
    },
  }
}

/** Stores by the promise that they break. */
const broken: Readonly<Record<string, PaymentStore>> = {
  'ignores its condition': overwriting(() => true),
  'acknowledges a write and loses it': { ...memory, save: () => true },
  'reads before it writes': overwriting(async ({ revision }, stored) => {
    await new Promise(setImmediate)
    return stored === revision - 1
  }),
  'returns a number of rows': {
    ...memory,
    save: async (row) => Number(await memory.save(row)) as never,
  },
  'returns null for no row': {
    ...memory,
    load: async (...id) => (await memory.load(...id)) ?? (null as never),
  },
  'takes all scopes for one': naming('scope', () => 'scope'),
  'changes the rows of all scopes': updatingAllScopes(),
  'takes a scope in upper case for the same': naming('scope', (id) => id.toUpperCase()),
  'takes an order in lower case for the same': naming('orderId', (id) => id.toLowerCase()),
  'takes an order without accents for the same': naming('orderId', (id) =>
    id.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  ),
  'drops characters outside of the BMP': loading((text) => text.replaceAll('🙂', '?')),
  'decomposes characters': loading((text) => text.normalize('NFD')),
  'cuts long texts': loading((text) => text.slice(0, 65_535)),
  'parses texts': loading((text) => ({ text })),
  'drops milliseconds': {
    ...memory,
    save: ({ checkAt, ...row }) =>
      memory.save({ ...row, checkAt: checkAt && new Date(new Date(checkAt).setMilliseconds(0)) }),
  },
  'takes null for the epoch': {
    ...memory,
    save: (row) => memory.save({ ...row, checkAt: row.checkAt ?? new Date(0) }),
  },
  'returns the latest first': finding((ids) => ids.toReversed()),
  'returns due orders by name': finding((ids) => ids.toSorted()),
  'returns at most 100 due orders': finding((ids) => ids.slice(0, 100)),
  'returns none that is due now': {
    ...memory,
    due: (scope, now, limit) => memory.due(scope, new Date(Number(now) - 1), limit),
  },
  'ignores the limit': { ...memory, due: (scope, now) => memory.due(scope, now, 1000) },
}

const kept: Readonly<Record<string, PaymentStore>> = {
  'has other names for scopes': naming('scope', (id) => `shop ${id}`),
  'has other names for orders': naming('orderId', (id) => `order ${id}`),
}

const stores = { ...kept, ...broken }
test.each(Object.entries(stores))('the cases judge a store that %s', async (name, store) => {
  const results = await Promise.allSettled(paymentStoreCases.map(({ run }) => run(store)))
  const isBroken = results.some(({ status }) => status === 'rejected')
  expect(isBroken).toBe(name in broken)
})
