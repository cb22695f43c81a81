import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OrderPayments } from '../../src/checkout/order-payments.ts'
import type { PaymentStore } from '../../src/index.ts'
import { mixes, play } from './model.ts'

// The time limit of a hook in a crashed instance never passes.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const first = Number(process.env.PI_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Plays schedules until one violates a rule. Returns the rule. */
async function firstViolation(
  schedules: number,
  wrapStore?: (store: PaymentStore) => PaymentStore,
) {
  for (let number = 0; number < schedules; number++) {
    const seed = first + number
    const faults = mixes[seed % mixes.length]
    if (!faults) continue
    const model = { seed, faults, Payments: OrderPayments }
    const violation = await play(wrapStore ? { ...model, wrapStore } : model)
    if (violation) return `PI_SEED=${seed}: ${violation}`
    vi.clearAllTimers()
  }
  return undefined
}

test('no schedule of two instances loses a payment, or ships for two', async () => {
  expect(await firstViolation(20_000)).toBeUndefined()
}, 300_000)

/** Stores that break their promise. */
const brokenStores: Readonly<Record<string, (store: PaymentStore) => PaymentStore>> = {
  'ignores its condition': (store) => ({
    ...store,
    save: async (record) => {
      const stored = await store.load(record.scope, record.orderId)
      return store.save({ ...record, revision: (stored?.revision ?? 0) + 1 })
    },
  }),
  'loses a write that it acknowledges': (store) => {
    let number = 0
    return { ...store, save: (record) => (++number % 5 === 0 ? true : store.save(record)) }
  },
}

test.each(Object.entries(brokenStores))(
  'schedules find a store that %s',
  async (_, wrapStore) => {
    expect(await firstViolation(20_000, wrapStore)).toMatch(/PI_SEED/)
  },
  300_000,
)
