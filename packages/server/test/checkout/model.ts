/**
 * Plays random schedules of a shop with two instances, one store, and one order: at each `await` another part may go on,
 * an instance may crash, and a request may fail. It returns what was violated.
 *
 * @module
 */
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { vi } from 'vitest'
import type { OrderPayments, OrderPaymentsOptions } from '../../src/checkout/order-payments.ts'
import type { Payment, PaymentStore } from '../../src/checkout/payment-record.ts'
import { type CheckoutOrder, paymentState } from '../../src/checkout/payment-state.ts'
import { prepareCreate } from '../../src/client/idempotency-key.ts'
import { memoryPayments, PiError } from '../../src/index.ts'
import { intentOf } from '../scripted-service.ts'

/**
 * A fault that a schedule may have. `plainHook`: `onPaid` returns true for each payment, without a condition.
 * `slowResponses`: responses to a retrieve are often older than what another process has stored since. `lostRecords`: the
 * store loses all records, as `memoryPayments()` does with its process; then only handoffs are checked.
 */
export type Fault =
  | 'crashes'
  | 'lostResponses'
  | 'failingHooks'
  | 'expiredKeys'
  | 'edits'
  | 'wrongKey'
  | 'plainHook'
  | 'slowResponses'
  | 'lostRecords'

/** The mixes that are played in turn. */
const mixes: readonly (readonly Fault[])[] = [
  ['edits'],
  ['edits', 'crashes'],
  ['edits', 'lostResponses', 'failingHooks'],
  ['edits', 'expiredKeys', 'wrongKey', 'lostResponses'],
  ['crashes', 'failingHooks'],
  ['edits', 'plainHook'],
  ['edits', 'lostResponses', 'plainHook'],
  ['lostRecords'],
  ['edits', 'slowResponses'],
  ['edits', 'crashes', 'lostResponses', 'failingHooks', 'expiredKeys', 'wrongKey'],
]

/** What a schedule plays. */
export interface Model {
  readonly seed: number
  /** @default One of `mixes`, in turn. */
  readonly mix?: readonly Fault[] | undefined
  /** The class under test. */
  readonly Payments: typeof OrderPayments
  /** Changes the store, to remove its condition. */
  readonly wrapStore?: (store: PaymentStore) => PaymentStore
}

interface Intent {
  readonly id: string
  readonly amount: number
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'failed' | 'expired'
}

const orderId = 'A-1001'
const scope = 'https://pay.example test'
const finalStatuses = ['succeeded', 'failed', 'expired']

/** Plays one schedule. Returns the violated rule, or `undefined`. */
export async function play({
  seed,
  Payments,
  mix = mixes[seed % mixes.length] ?? [],
  wrapStore = (store) => store,
}: Model) {
  const has = (fault: Fault): boolean => mix.includes(fault)
  const random = seededRandom(seed)
  const happens = (probability: number): boolean => random() < probability
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const violations: string[] = []
  const check = (holds: boolean, rule: string): void => {
    if (!holds) violations.push(rule)
  }
  let store = wrapStore(memoryPayments())
  const intents = new Map<string, Intent>()
  const keys = new Map<string, string>()
  const handedOut = new Set<string>()
  let order: (CheckoutOrder & { paidBy?: string }) | undefined
  order = { orderId, amount: 100, currency: 'AMD' }
  const paidBy: string[] = []
  const reviewed = new Set<string>()
  const decisions = new Map<string, string>()
  vi.setSystemTime(Date.UTC(2026, 0, 1))
  const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms)
  let isCalm = false
  let isWrongKey = false
  /** The instances whose `onPaid` is running. */
  let inOnPaid: number[] = []
  /** The intents that the record has shown as busy, as they still are. */
  const knownBusy = new Set<string>()
  /** Number of the change after which each intent has its status. */
  const changedAt = new Map<string, number>()
  let changes = 0
  /** Number of changes of the order's version, and of losses of the records. */
  let edits = 0
  let losses = 0
  let handoffs = 0
  /** Number of handoffs that are running in each instance. */
  const active = [0, 0]
  /** What the order cost at any time since each intent was paid. */
  const amountsSincePaid = new Map<string, Set<number | undefined>>()
  const isOpen = (id: string): boolean => intents.get(id)?.status === 'requires_payment_method'
  const isBusy = (id: string): boolean =>
    ['processing', 'succeeded'].includes(intents.get(id)?.status ?? '') &&
    decisions.get(id) !== 'refunded'

  // A part waits at a gate until the schedule lets it go on. A crashed instance never does.
  const waiting: { readonly instance: number; readonly resume: () => void }[] = []
  const gate = (instance: number): Promise<void> =>
    new Promise((resume) => waiting.push({ instance, resume }))

  const fails = (probability: number): boolean => !isCalm && happens(probability)
  const lost = (): Error =>
    new PiError('lost', {
      code: 'connection_lost',
      outcome: 'unknown',
      retryable: true,
      requests: [],
    })
  const notFound = (code: 'payment_intent_not_found' | 'unexpected_response'): Error =>
    new PiError('404', { code, status: 404, outcome: 'rejected', retryable: false, requests: [] })

  const clientOf = (instance: number): OrderPaymentsOptions['intents'] => ({
    totalTimeout: 30_000,
    scope: () => scope,
    check: async () => ({ environment: 'test' }),
    create: async (params, { attempt } = {}) => {
      await gate(instance)
      const { key } = await prepareCreate(params, { attempt })
      if (has('lostResponses') && fails(0.1)) throw lost()
      if (has('expiredKeys') && fails(0.1)) keys.delete(key)
      const replayed = keys.has(key)
      const id = keys.get(key) ?? `pi_${intents.size + 1}`
      const { amount } = params
      if (!replayed) intents.set(id, { id, amount, status: 'requires_payment_method' })
      keys.set(key, id)
      await gate(instance)
      if (has('lostResponses') && fails(0.1)) throw lost()
      return {
        replayed,
        intent: intentOf({ id, amount, currency: 'AMD', orderId }),
        handoff: { id, clientSecret: 'fixture' },
      }
    },
    retrieve: async (id) => {
      await gate(instance)
      if (isWrongKey) throw notFound('payment_intent_not_found')
      if (has('lostResponses') && fails(0.3))
        throw happens(0.5) ? lost() : notFound('unexpected_response')
      const { amount, status } = intents.get(id) as Intent
      const gates = has('slowResponses') && happens(0.5) ? 8 : 1
      for (let number = 1; number <= gates; number++) await gate(instance)
      return intentOf({ id, amount, currency: 'AMD', orderId, status })
    },
  })
  const instanceOf = (instance: number): OrderPayments =>
    new Payments({
      intents: clientOf(instance),
      onError: () => {},
      order: async () => {
        await gate(instance)
        return order && { ...order }
      },
      payments: {
        load: async (...args) => {
          await gate(instance)
          return store.load(...args)
        },
        save: async (record) => {
          await gate(instance)
          const isSaved = await store.save(record)
          for (const { intentId, phase, decision } of isSaved ? record.payments : []) {
            if (decision === 'accepted' || decision === 'refunded')
              decisions.set(intentId, decision)
            if (phase !== 'open' && isBusy(intentId)) knownBusy.add(intentId)
          }
          await gate(instance)
          return isSaved
        },
        due: async (...args) => {
          await gate(instance)
          return store.due(...args)
        },
      },
      onPaid: async ({ payment }) => {
        inOnPaid.push(instance)
        check(inOnPaid.length === 1, 'onPaid runs in two processes at a time')
        await gate(instance)
        inOnPaid = inOnPaid.filter((one) => one !== instance)
        if (has('failingHooks') && fails(0.3)) throw new Error('onPaid')
        const { intentId, amount, decision } = payment
        const fits = decision === 'accepted' || amountsSincePaid.get(intentId)?.has(amount) === true
        check(fits, 'onPaid runs for a version that the order no longer had when it was paid')
        check(decisions.get(intentId) !== 'refunded', 'a refunded payment ships')
        const isFree = order?.paidBy === undefined || order.paidBy === intentId
        const pays = has('plainHook') || (order?.amount === amount && isFree)
        if (pays && order) order.paidBy = intentId
        if (pays) paidBy.push(intentId)
        if (has('failingHooks') && fails(0.3)) throw new Error('onPaid')
        return pays
      },
      onReview: async ({ payment }) => {
        await gate(instance)
        if (has('failingHooks') && fails(0.3)) throw new Error('onReview')
        reviewed.add(payment.intentId)
        await gate(instance)
      },
    })
  const instances = [instanceOf(0), instanceOf(1)]
  const stored = async () => store.load(scope, orderId)

  const handoff = async (instance: number): Promise<void> => {
    const before = await stored()
    const startedAt = changes
    const isAlone = active[0] === 0 && active[1] === 0
    active[instance] = (active[instance] ?? 0) + 1
    const counted = [edits, losses, ++handoffs]
    const known = (before?.payments ?? []).filter(
      ({ phase, amount, intentId }) =>
        phase === 'open' && amount === order?.amount && isOpen(intentId),
    )
    const busy = (before?.payments ?? []).filter(({ intentId }) => isBusy(intentId))
    const self = instances[instance]
    const given = await self?.handoff(orderId).finally(() => {
      // An instance that crashed has none.
      if (self === instances[instance]) active[instance] = (active[instance] ?? 0) - 1
    })
    if (!given) return
    handedOut.add(given.id)
    if (losses !== counted[1]) return
    const isUnchanged = (id: string): boolean => (changedAt.get(id) ?? 0) <= startedAt
    check(
      isOpen(given.id) || !isUnchanged(given.id) || has('wrongKey'),
      'a handoff of an intent that cannot be paid',
    )
    const others = known.filter(({ intentId }) => isOpen(intentId) && isUnchanged(intentId))
    const isStored = before?.payments.some(({ intentId }) => intentId === given.id) === true
    const isSecond = others.length > 0 && !isStored
    // Concurrent handoffs of a changed customer may create two. The second payment goes to review.
    const isExpected =
      edits !== counted[0] || handoffs !== counted[2] || has('expiredKeys') || has('wrongKey')
    check(
      !isSecond || !isAlone || isExpected,
      'a handoff of a second intent that can be paid for one version',
    )
    const record = await stored()
    const blocking = record?.payments.filter(
      ({ phase, decision }) =>
        phase === 'processing' ||
        phase === 'unknown' ||
        (phase === 'paid' && decision !== 'refunded'),
    )
    const isOther = ({ intentId }: Payment): boolean =>
      given.id !== intentId && isBusy(intentId) && isUnchanged(intentId) && !has('wrongKey')
    check(!busy.some(isOther), 'a handoff that began while another payment was busy')
    check(![...knownBusy].some(isBusy), 'a handoff while a payment is known to be busy')
    check(blocking?.length === 0, 'a handoff while a payment is processing, paid, or under review')
    check(
      record?.payments.some(({ intentId }) => intentId === given.id) === true,
      'a handoff is not stored',
    )
  }
  const resolve = async (instance: number): Promise<void> => {
    const record = await stored()
    const [payment] = record?.payments.filter(({ decision }) => decision === 'review') ?? []
    if (!payment || !reviewed.has(payment.intentId)) return
    const decision = pick(['accepted', 'refunded'] as const)
    await instances[instance]?.resolve({ orderId, intentId: payment.intentId }, decision)
  }

  const actions: Record<string, (instance: number) => Promise<unknown> | undefined> = {
    handoff,
    handoffAgain: handoff,
    status: (instance) => instances[instance]?.state(orderId),
    reconcile: (instance) => {
      // A hook ends within its time limit.
      if (inOnPaid.length === 0) pass(pick([1_000, 61_000, 3_600_000]))
      return instances[instance]?.reconcile()
    },
    resolve,
    edit: () => {
      // A paid order is kept.
      if (!has('edits') || order?.paidBy) return undefined
      const customer = { id: pick(['c-1', 'c-2']) }
      const amount = pick([100, 200])
      if (order?.amount !== amount) edits++
      order = order && happens(0.15) ? undefined : { orderId, amount, currency: 'AMD', customer }
      for (const amounts of amountsSincePaid.values()) amounts.add(order?.amount)
      return undefined
    },
    pay: () => {
      const open = [...handedOut].filter(
        (id) => !finalStatuses.includes(intents.get(id)?.status ?? ''),
      )
      const intent = open.length > 0 ? intents.get(pick(open)) : undefined
      if (!intent) return undefined
      knownBusy.delete(intent.id)
      changedAt.set(intent.id, ++changes)
      intent.status = pick(
        intent.status === 'processing'
          ? ['succeeded', 'requires_payment_method', 'failed']
          : ['processing', 'succeeded', 'succeeded', 'failed', 'expired'],
      )
      if (intent.status === 'succeeded') amountsSincePaid.set(intent.id, new Set([order?.amount]))
      return undefined
    },
    loseRecords: () => {
      if (!has('lostRecords') || happens(0.5)) return undefined
      losses++
      store = wrapStore(memoryPayments())
      knownBusy.clear()
      return undefined
    },
    wrongKey: () => {
      isWrongKey = has('wrongKey') && happens(0.3)
      return undefined
    },
  }

  let running = 0
  const start = (name: string, instance: number): void => {
    const task = actions[name]?.(instance)
    if (!task) return
    running++
    const end = (): void => void running--
    task.then(end, (error: unknown) => {
      end()
      const isExpected =
        (error instanceof Error && error.name === 'HandoffRejection') ||
        PiError.is(error) ||
        (error instanceof Error && /under review/.test(error.message))
      if (!isExpected) violations.push(`${name}: ${String(error)}`)
    })
  }
  // It runs when no promise is left to continue: every part waits at a gate then.
  const settle = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
  const drain = async (): Promise<void> => {
    await settle()
    while (waiting.length > 0) {
      const [part] = waiting.splice(Math.floor(random() * waiting.length), 1)
      part?.resume()
      await settle()
    }
  }

  let left = 14
  while (left > 0 || waiting.length > 0) {
    await settle()
    if (left > 0 && (waiting.length === 0 || happens(0.3))) {
      left--
      start(pick(Object.keys(actions)), pick([0, 1]))
    } else if (has('crashes') && happens(0.03)) {
      const crashed = pick([0, 1])
      for (let index = waiting.length - 1; index >= 0; index--) {
        if (waiting[index]?.instance === crashed) waiting.splice(index, 1)
      }
      inOnPaid = inOnPaid.filter((one) => one !== crashed)
      instances[crashed] = instanceOf(crashed)
      active[crashed] = 0
    } else {
      const [part] = waiting.splice(Math.floor(random() * waiting.length), 1)
      part?.resume()
    }
  }

  await drain()
  if (has('lostRecords')) return violations[0]

  // Calm: the intents become final, and time passes.
  isCalm = true
  isWrongKey = false
  for (const intent of intents.values()) {
    if (!finalStatuses.includes(intent.status))
      intent.status = happens(0.2) && handedOut.has(intent.id) ? 'succeeded' : 'expired'
    if (intent.status === 'succeeded' && !amountsSincePaid.has(intent.id))
      amountsSincePaid.set(intent.id, new Set([order?.amount]))
  }
  for (let round = 0; round < 40 && (await stored())?.checkAt; round++) {
    start('reconcile', pick([0, 1]))
    await drain()
    pass(86_400_000)
  }

  const record = await stored()
  const paid = [...intents.values()].filter(({ status }) => status === 'succeeded')
  const paying = new Set(paidBy)
  check(paying.size <= 1 || decisions.size > 0, 'two payments pay for one order')
  for (const { id } of paid) {
    check(paying.has(id) || reviewed.has(id), 'a paid intent without onPaid and onReview')
    const isBoth = paying.has(id) && reviewed.has(id) && !decisions.has(id)
    check(!isBoth, 'a paid intent with onPaid and onReview')
  }
  check((record?.checkAt ?? null) === null, `checkAt is left: ${JSON.stringify(record)}`)
  if (order) {
    const { phase } = paymentState(order, record)
    const isPaid = record?.payments.some((payment) => isTheOrders(payment)) === true
    check((phase === 'paid') === isPaid, `the status is ${phase}`)
    if (order.paidBy !== undefined) check(phase === 'paid', `a paid order is ${phase}`)
  }
  return violations[0]

  function isTheOrders({ decision, done }: Payment): boolean {
    return done && (decision === 'pays' || decision === 'accepted')
  }
}
