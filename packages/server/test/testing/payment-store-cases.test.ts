import canonicalize from 'canonicalize'
import { expect, test } from 'vitest'
import type { PaymentRecord } from '../../src/checkout/payment-record.ts'
import { memoryPayments, type PaymentStore } from '../../src/index.ts'
import { paymentStoreCases } from '../../src/testing/fake-service.ts'

const memory = memoryPayments()

const loading = (change: (record: PaymentRecord) => unknown): PaymentStore => ({
  ...memory,
  load: async (scope, orderId) => {
    const record = await memory.load(scope, orderId)
    return record && (change(record) as PaymentRecord)
  },
})
const loadingText = (change: (text: string) => string): PaymentStore =>
  loading(({ checkAt, ...record }) => ({ ...JSON.parse(change(JSON.stringify(record))), checkAt }))
const finding = (change: (ids: readonly string[]) => unknown): PaymentStore => ({
  ...memory,
  due: async (...args) => change(await memory.due(...args)) as string[],
})
/** Stores a record under another scope or order id, and returns it with its own. */
const naming = (of: 'scope' | 'orderId', change: (id: string) => string): PaymentStore => {
  const { load, save, due } = memoryPayments()
  const ids = new Map<string, string>()
  const named = (id: { scope: string; orderId: string }) => ({ ...id, [of]: change(id[of]) })
  return {
    load: async (scope, orderId) => {
      const id = named({ scope, orderId })
      const record = await load(id.scope, id.orderId)
      return record && { ...record, scope, orderId }
    },
    save: (record) => {
      const id = named(record)
      ids.set(id.orderId, record.orderId)
      return save({ ...record, ...id })
    },
    due: async (scope, now, limit) => {
      const found = await due(named({ scope, orderId: '' }).scope, now, limit)
      return found.map((id) => ids.get(id) ?? id)
    },
  }
}

/** Stores by the promise that they break. */
const broken: Readonly<Record<string, PaymentStore>> = {
  'ignores its condition': {
    ...memory,
    save: async (record) => {
      const stored = await memory.load(record.scope, record.orderId)
      return memory.save({ ...record, revision: (stored?.revision ?? 0) + 1 })
    },
  },
  'acknowledges a write and loses it': { ...memory, save: () => true },
  'reads before it writes': {
    ...memory,
    save: async (record) => {
      const stored = await memory.load(record.scope, record.orderId)
      if ((stored?.revision ?? 0) !== record.revision - 1) return false
      await new Promise(setImmediate)
      await memory.save({ ...record, revision: 1 })
      return true
    },
  },
  'returns a number of rows': {
    ...memory,
    save: async (record) => Number(await memory.save(record)) as never,
  },
  'returns null for no record': {
    ...memory,
    load: async (...id) => (await memory.load(...id)) ?? (null as never),
  },
  'takes all scopes for one': naming('scope', () => 'scope'),
  'takes a scope in upper case for the same': naming('scope', (id) => id.toUpperCase()),
  'takes an order in lower case for the same': naming('orderId', (id) => id.toLowerCase()),
  'takes an order without accents for the same': naming('orderId', (id) =>
    id.normalize('NFD').replaceAll(/\p{M}/gu, ''),
  ),
  'drops a NUL': loadingText((text) => text.replaceAll('\\u0000', '')),
  'drops characters outside of the BMP': loadingText((text) => text.replaceAll('🙂', '?')),
  'decomposes characters': loadingText((text) => text.normalize('NFD')),
  'rounds amounts': loadingText((text) => text.replaceAll(/(amount":\d{15})\d/g, '$10')),
  'drops what it does not know': loadingText((text) =>
    text.replaceAll(/,"later_field":.*?\}/g, ''),
  ),
  'sorts payments': loading((record) => ({ ...record, payments: record.payments.toReversed() })),
  'drops milliseconds': loading((record) => ({
    ...record,
    checkAt: record.checkAt && new Date(Math.floor(Number(record.checkAt) / 1000) * 1000),
  })),
  'returns the epoch for null': loading((record) => ({
    ...record,
    checkAt: new Date(Number(record.checkAt)),
  })),
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
  'writes and reads text': loadingText((text) => text),
  'sorts the names of a record': loadingText((text) => canonicalize(JSON.parse(text)) as string),
}

const stores = { ...kept, ...broken }
test.each(Object.entries(stores))('the cases judge a store that %s', async (name, store) => {
  const results = await Promise.allSettled(paymentStoreCases.map(({ run }) => run(store)))
  const isBroken = results.some(({ status }) => status === 'rejected')
  expect(isBroken).toBe(name in broken)
})

/** Changes an order's records of all scopes, as an update that does not compare the scope. */
function updatingAllScopes(): PaymentStore {
  const store = memoryPayments()
  const scopes = new Set<string>()
  return {
    ...store,
    save: async (record) => {
      scopes.add(record.scope)
      const changed = record.revision === 1 ? [record.scope] : [...scopes]
      const saved = await Promise.all(
        changed.map(async (scope) => store.save({ ...record, scope })),
      )
      return saved.includes(true)
    },
  }
}

test('the cases find a store that changes another merchant’s record, also if each gets a new one', async () => {
  const results = await Promise.allSettled(
    paymentStoreCases.map(({ run }) => run(updatingAllScopes())),
  )
  expect(results.map(({ status }) => status)).toContain('rejected')
})
