import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'
import { memoryPayments, type PaymentStore } from '../../src/index.ts'
import { firstViolation } from './model.ts'
import type { Fault } from './model-merchant.ts'
import type * as parts from './parts.ts'

test('no schedule of two merchants loses a payment, or ships for two', async () => {
  expect(await firstViolation({ schedules: 20_000 })).toBeUndefined()
}, 600_000)

/** Each rule of the design, how its source is removed, what then is violated, and the faults that show it. */
const rules: readonly [string, string, string, violation: RegExp, mix: readonly Fault[]][] = [
  [
    'the lease of a hook',
    '!hooks.includes(payment.state) || isLeased(payment, now)',
    '!hooks.includes(payment.state)',
    /onPaid runs in two processes at a time/,
    ['edits', 'slowResponses'],
  ],
  [
    'the block after a failed retrieve',
    "throw new HandoffRejection('payment_unavailable', rule, failure)",
    'void rule',
    /a handoff while another payment was busy/,
    ['edits', 'lostResponses'],
  ],
  [
    'the discarded result of an old response',
    "found.state === 'paid' || found.state === 'failed' || isUnchanged",
    'true',
    /a handoff (while a payment is known to be busy|of an intent that cannot be paid)/,
    ['slowResponses'],
  ],
  [
    'the result that this call has seen',
    'isWaiting && canWait',
    'false',
    /a handoff that has seen another payment processing/,
    ['edits', 'slowResponses'],
  ],
  [
    'the one payment of an order',
    "if (ordersPayment(payments)) return review('duplicate')",
    '',
    /two payments are the order’s/,
    // The intent of an expired key stays payable beside the one that replaces it.
    ['expiredKeys'],
  ],
  [
    'the refusal of a refund while a hook runs',
    'return isLeased(payment, now) ?',
    'return false ?',
    /a refunded payment ships/,
    ['failingHooks', 'slowResponses'],
  ],
  [
    'amount and currency in a version',
    "[price, rest].join(' ')",
    'rest',
    /a handoff (of another amount|for a version)/,
    ['edits'],
  ],
  [
    'the retrieve after a replay',
    "!replayed || look.seen.get(intent.id)?.state === 'open'",
    'true',
    /a handoff of an intent that cannot be paid/,
    ['lostRecords'],
  ],
  [
    'the order that is read after the create',
    'const orderNow = await findOrder(ledger, orderId)',
    'const orderNow = order',
    /a handoff for a version that the order does not have/,
    ['edits'],
  ],
  [
    'the attempt above the highest',
    'const attempt = (payments.at(-1)?.attempt ?? 0) + 1',
    'const attempt = 1',
    /an order that is failed/,
    ['edits'],
  ],
  [
    'the week after a failure at another service',
    'keepsFailed ? timeOf(now) : undefined',
    'undefined',
    /a paid intent without onPaid and onReview/,
    ['edits', 'reopened'],
  ],
  [
    'the looks at an order that is open for months',
    'if (!isUnsettled(payment, now)) return Infinity',
    'if (!isUnsettled(payment, now) || isOld) return Infinity',
    /an order is left alone/,
    ['clockJumps', 'edits'],
  ],
  [
    'the review of a rejected payment',
    "{ state: 'reviewing', reason: 'rejected', since: timeOf(now) }",
    '{}',
    /a paid intent without onPaid and onReview/,
    ['edits'],
  ],
]

test.each(rules)(
  'schedules find a helper without %s',
  async (_, source, without, violation, mix) => {
    const parts = await partsWithout(source, without)
    expect(await firstViolation({ parts, mix, violation })).toMatch(/PI_SEED/)
  },
  600_000,
)

test('schedules find a store without its condition', async () => {
  const newStore = (): PaymentStore => {
    const store = memoryPayments()
    const saves = new Map<string, number>()
    return {
      ...store,
      save: (row) => {
        const revision = (saves.get(row.scope) ?? 0) + 1
        saves.set(row.scope, revision)
        return store.save({ ...row, revision })
      },
    }
  }
  expect(await firstViolation({ newStore })).toMatch(/PI_SEED/)
}, 600_000)

test('schedules find merchants with one scope', async () => {
  expect(await firstViolation({ scopeOf: () => 'https://pay.example test' })).toMatch(/PI_SEED/)
}, 600_000)

/** Bundles the parts with a replaced source, and loads them. */
async function partsWithout(source: string, without: string): Promise<typeof parts> {
  let found = 0
  const transform = (code: string): string => {
    found += code.split(source).length - 1
    return code.replace(source, () => without)
  }
  const result = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [{ name: 'without-a-rule', enforce: 'pre', transform }],
    build: { ssr: fileURLToPath(new URL('parts.ts', import.meta.url)), write: false },
    ssr: { noExternal: true, resolve: { conditions: ['source'] } },
  })
  expect(found).toBe(1)
  const [{ output }] = [result].flat() as [Rolldown.RolldownOutput]
  return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
}
