import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { OrderPayments } from '../../src/checkout/order-payments.ts'
import type { PaymentStore } from '../../src/index.ts'
import { bundle } from '../bundle.ts'
import { type Fault, type Model, play } from './model.ts'

// The time limit of a hook in a crashed instance never passes.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const first = Number(process.env.PI_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Plays 20,000 schedules, or until one violates the invariant. Returns it. */
async function firstViolation(model: Partial<Model>, invariant = /./) {
  for (let number = 0; number < 20_000; number++) {
    const seed = first + number
    const violation = await play({ seed, Payments: OrderPayments, ...model })
    if (violation && invariant.test(violation)) return `PI_SEED=${seed}: ${violation}`
    vi.clearAllTimers()
  }
  return undefined
}

test('no schedule of two instances loses a payment, or ships for two', async () => {
  expect(await firstViolation({})).toBeUndefined()
}, 300_000)

/** Each rule of the design, how its source is removed, an invariant that then breaks, and the faults that break it. */
const rules: readonly [string, string, string, invariant: RegExp, mix?: readonly Fault[]][] = [
  [
    'the lease of a hook',
    'if (payment.leaseUntil !== undefined && Date.parse(payment.leaseUntil) > now) return',
    'if (false) return',
    /onPaid runs in two processes at a time/,
  ],
  [
    'the block after a failed check',
    "if (!failed || state.phase === 'paid') return",
    'if (true) return',
    /a handoff that began while another payment was busy/,
    ['edits', 'lostResponses'],
  ],
  [
    'the discarded phase of an old response',
    'if (payment.phase !== before.phase || payment.phase === phase) return',
    'if (payment.phase === phase) return',
    /a handoff while a payment is known to be busy/,
  ],
  [
    'the decision that sticks',
    "if (payment.phase === 'paid' || payment.phase === 'failed') return",
    "if (payment.phase === 'failed') return",
    /checkAt is left/,
  ],
]

test.each(rules)(
  'schedules find a helper without %s',
  async (_, source, without, invariant, mix) => {
    let found = 0
    const removed = {
      name: 'without-a-rule',
      transform: (code: string) => {
        found += code.split(source).length - 1
        return code.replace(source, without)
      },
    }
    const entry = fileURLToPath(new URL('../../src/checkout/order-payments.ts', import.meta.url))
    const { file, remove } = await bundle(entry, [{ ...removed, enforce: 'pre' }])
    onTestFinished(remove)
    expect(found).toBe(1)
    const { OrderPayments: Payments } = await import(file)
    expect(await firstViolation({ Payments, mix }, invariant)).toMatch(/PI_SEED/)
  },
  300_000,
)

test('schedules find a store without its condition', async () => {
  const wrapStore = (store: PaymentStore): PaymentStore => ({
    ...store,
    save: async (record) => {
      const stored = await store.load(record.scope, record.orderId)
      return store.save({ ...record, revision: (stored?.revision ?? 0) + 1 })
    },
  })
  expect(await firstViolation({ wrapStore })).toMatch(/PI_SEED/)
}, 300_000)
