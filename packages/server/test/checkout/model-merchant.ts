/** One merchant of the model: its service, its shop with two instances, and what must hold for them. @module */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Ledger } from '../../src/checkout/look-at-order.ts'
import type { Payment, PaymentRecord, PaymentStore } from '../../src/checkout/payment-record.ts'
import { type CheckoutOrder, orderVersion, paymentState } from '../../src/checkout/payment-state.ts'
import { recordOf } from '../../src/checkout/record-text.ts'
import { prepareCreate } from '../../src/client/idempotency-key.ts'
import { PiError, type PiErrorFacts } from '../../src/index.ts'
import { intentOf } from '../scripted-service.ts'
import type * as parts from './parts.ts'

/** The mixes that are played in turn. */
export const mixes = [
  ['edits'],
  ['edits', 'crashes'],
  ['edits', 'lostResponses', 'failingHooks'],
  ['edits', 'expiredKeys', 'wrongKey', 'lostResponses'],
  ['crashes', 'failingHooks', 'failingStore'],
  ['edits', 'plainHook'],
  ['edits', 'lostResponses', 'plainHook'],
  ['lostRecords'],
  ['edits', 'slowResponses'],
  ['edits', 'reopened', 'lostResponses'],
  ['edits', 'clockJumps', 'crashes'],
  ['edits', 'crashes', 'lostResponses', 'failingHooks', 'failingStore', 'expiredKeys', 'wrongKey'],
] as const

/**
 * A fault that a schedule may have. `plainHook`: `onPaid` returns true for each payment. `slowResponses`: responses to a
 * retrieve are often older than what another process has stored since. `lostRecords`: the store loses all records, as
 * `memoryPayments()` does with its process; then only handoffs are checked. `reopened`: the service is another one, and a
 * failed payment can be paid. `clockJumps`: by months, and back.
 */
export type Fault = (typeof mixes)[number][number]

/** What the merchants of a schedule share. */
export interface World {
  readonly parts: typeof parts
  readonly scopeOf: (merchant: number) => string
  /** Another one after it has lost all records. */
  store: PaymentStore
  /** At the end there are no faults. */
  isCalm: boolean
  readonly has: (fault: Fault) => boolean
  readonly happens: (probability: number) => boolean
  readonly pick: <T>(values: readonly T[]) => T
  readonly check: (holds: boolean, rule: string) => void
  /** Waits until the schedule lets this part of an instance go on: never after a crash. */
  readonly gate: (instance: symbol) => Promise<void>
  readonly crash: (instance: symbol) => void
}

interface Intent {
  readonly id: string
  readonly amount: number
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'failed' | 'expired'
  /** Number of the change after which it has its status. */
  changedAt: number
  /** When it was retrieved. */
  isHandedOut?: boolean
  /** Whether the record has shown that it is busy, as it still is. */
  isKnownBusy?: boolean
  /** Whether `onPaid` has returned true for it, and `onReview` has returned. */
  isShipped?: boolean
  isReviewed?: boolean
  decision?: 'accepted' | 'refunded'
  /** What the order cost at any time since it was paid. */
  costs?: Set<number | undefined>
}

/** What a handoff has seen. */
const calls = new AsyncLocalStorage<{
  readonly seen: Map<Intent, string>
  /** Number of the versions of the order when its last create returned. */
  versions: number
}>()

const orderId = 'A-1001'
const finalStatuses = ['succeeded', 'failed', 'expired']
const blocking = ['processing', 'unknown', 'paying', 'paid', 'reviewing', 'review']
const waiting = ['open', 'processing', 'unknown', 'paying', 'reviewing']

export type Merchant = ReturnType<typeof newMerchant>

export function newMerchant(world: World, number: number) {
  const { has, happens, pick, check, gate } = world
  const { handOut, readStatus, resolve } = world.parts
  const fails = (fault: Fault, probability: number): boolean =>
    has(fault) && !world.isCalm && happens(probability)
  const hookFails = (): boolean => fails('failingHooks', 0.3)
  const failed = (code: PiErrorFacts['code'], status?: number): Error =>
    new PiError(code, { code, status, outcome: 'unknown', retryable: !status })
  const scope = world.scopeOf(number)
  const intents = new Map<string, Intent>()
  const keys = new Map<string, Intent>()
  let order: (CheckoutOrder & { paidBy?: string }) | undefined
  order = { orderId, amount: 100 * (number + 1), currency: 'AMD' }
  /** The order as it was, and is. */
  const versions = [order as typeof order | undefined]
  let isWrongKey = false
  let changes = 0
  /** The instances whose `onPaid` is running. */
  let inOnPaid: symbol[] = []
  const isBusy = (intent: Intent | undefined): boolean =>
    ['processing', 'succeeded'].includes(intent?.status ?? '') && intent?.decision !== 'refunded'
  const stored = async () => {
    const text = await world.store.load(scope, orderId)
    return text === undefined ? undefined : recordOf(text, { scope, orderId })
  }

  const clientOf = (instance: symbol): Ledger['intents'] => ({
    translates: has('reopened'),
    scope: () => scope,
    check: async () => {},
    create: async (params, { attempt } = {}) => {
      await gate(instance)
      const { key } = await prepareCreate(params, { attempt })
      if (fails('lostResponses', 0.1)) throw failed('connection_lost')
      if (fails('expiredKeys', 0.1)) keys.delete(key)
      const known = keys.get(key)
      const { amount } = params
      const id = `pi_${number}_${intents.size + 1}`
      const intent = known ?? { id, amount, status: 'requires_payment_method', changedAt: 0 }
      intents.set(intent.id, intent)
      keys.set(key, intent)
      await gate(instance)
      if (fails('lostResponses', 0.1)) throw failed('connection_lost')
      const call = calls.getStore()
      if (call) call.versions = versions.length
      return {
        replayed: known !== undefined || has('reopened'),
        intent: intentOf({ id: intent.id, amount, currency: 'AMD', orderId }),
        handoff: { id: intent.id, clientSecret: 'fixture' },
      }
    },
    retrieve: async (id) => {
      await gate(instance)
      const intent = intents.get(id)
      if (isWrongKey && happens(0.2)) throw failed('invalid_credentials', 401)
      if (isWrongKey || !intent) throw failed('payment_intent_not_found', 404)
      if (fails('lostResponses', 0.3)) {
        throw happens(0.5) ? failed('connection_lost') : failed('unexpected_response', 400)
      }
      const { amount, status } = intent
      const gates = has('slowResponses') && happens(0.5) ? 8 : 1
      for (let count = 1; count <= gates; count++) await gate(instance)
      calls.getStore()?.seen.set(intent, status)
      return intentOf({ id, amount, currency: 'AMD', orderId, status })
    },
  })

  const storeOf = (instance: symbol): PaymentStore => {
    const reach = async (): Promise<void> => {
      await gate(instance)
      if (fails('failingStore', 0.05)) throw new Error('injected')
    }
    return {
      load: async (...args) => {
        await reach()
        return world.store.load(...args)
      },
      save: async (row) => {
        await reach()
        const isSaved = await world.store.save(row)
        if (isSaved) checkSaved(recordOf(row.text, row))
        await reach()
        return isSaved
      },
      due: async (...args) => {
        await reach()
        return world.store.due(...args)
      },
    }
  }

  const checkSaved = (record: PaymentRecord): void => {
    check(record.scope === scope, "a save of another merchant's record")
    const pays = record.payments.filter(({ state }) => state === 'paying' || state === 'paid')
    check(pays.length <= 1, 'two payments are the order’s')
    for (const { intentId, state, reason } of record.payments) {
      const intent = intents.get(intentId)
      if (!intent) continue
      if (state === 'refunded') intent.decision = 'refunded'
      if (state === 'paying' && reason === 'accepted') intent.decision = 'accepted'
      // A failed payment that was reopened is not known to be busy.
      if (state !== 'open' && state !== 'failed' && isBusy(intent)) intent.isKnownBusy = true
    }
    const isWaiting = record.payments.some(({ state }) => waiting.includes(state))
    check(!isWaiting || record.checkAt !== null, 'an order is left alone')
  }

  const hooksOf = (instance: symbol): Ledger['hooks'] => ({
    onError: () => {},
    onPaid: async ({ payment: { intentId, amount }, accepted }) => {
      inOnPaid.push(instance)
      const isAlone = inOnPaid.length === 1 || has('lostRecords')
      check(isAlone, 'onPaid runs in two processes at a time')
      await gate(instance)
      inOnPaid = inOnPaid.filter((one) => one !== instance)
      if (hookFails()) throw new Error('onPaid')
      const intent = intents.get(intentId)
      check(intent !== undefined, "onPaid of another merchant's intent")
      const fits = accepted || intent?.costs?.has(amount) === true
      check(fits, 'onPaid runs for a version that the order no longer had when it was paid')
      const isRefunded = intent?.decision === 'refunded' && !has('lostRecords')
      check(!isRefunded, 'a refunded payment ships')
      const other = intents.get(order?.paidBy ?? '')
      const isFree = !other || other === intent || other.decision === 'refunded'
      const pays = has('plainHook') || ((order?.amount === amount || accepted) && isFree)
      if (pays && order) order.paidBy = intentId
      if (pays && intent) intent.isShipped = true
      if (hookFails()) throw new Error('onPaid')
      return pays
    },
    onReview: async ({ payment }) => {
      await gate(instance)
      if (hookFails()) throw new Error('onReview')
      const intent = intents.get(payment.intentId)
      if (intent) intent.isReviewed = true
      await gate(instance)
    },
  })

  const newInstance = () => {
    const process = Symbol('instance')
    const client = clientOf(process)
    const ledger: Ledger = {
      intents: client,
      order: async () => {
        await gate(process)
        return order && { ...order }
      },
      // The bundled classes have private members of their own.
      records: new world.parts.Records(storeOf(process), client),
      hooks: hooksOf(process),
    }
    return { process, ledger, due: new world.parts.DueOrders(ledger) }
  }
  const instances = [newInstance(), newInstance()]

  const handoff = async (): Promise<void> => {
    const call = { seen: new Map<Intent, string>(), versions: 0 }
    const { store } = world
    const startedAt = changes
    const isUnchanged = (intent: Intent): boolean => intent.changedAt <= startedAt
    const before = await stored()
    const known = before?.payments.map(({ intentId }) => intents.get(intentId)) ?? []
    const busy = known.filter(isBusy)
    const given = await calls.run(call, () => handOut(pick(instances).ledger, orderId))
    const intent = intents.get(given.id)
    if (!intent) return check(false, "a handoff of another merchant's intent")
    intent.isHandedOut = true
    const isOpen = intent.status === 'requires_payment_method'
    check(isOpen || !isUnchanged(intent), 'a handoff of an intent that cannot be paid')
    if (world.store !== store) return
    const record = await stored()
    const payment = record?.payments.find(({ intentId }) => intentId === given.id)
    check(payment !== undefined, 'a handoff is not stored')
    const others = busy.filter((one) => one && isBusy(one) && isUnchanged(one))
    check(others.length === 0 || has('wrongKey'), 'a handoff while another payment was busy')
    const isBlocked = record?.payments.some(({ state }) => blocking.includes(state))
    check(!isBlocked, 'a handoff while a payment is processing, paid, or under review')
    const isKnown = [...intents.values()].some((one) => one.isKnownBusy && isBusy(one))
    check(!isKnown, 'a handoff while a payment is known to be busy')
    const hasSeen = [...call.seen].some(([one, status]) => status === 'processing' && isBusy(one))
    check(!hasSeen, 'a handoff that has seen another payment processing')
    const since = versions.slice(Math.max(call.versions - 1, 0))
    const isOfOrder = since.some((one) => one && orderVersion(one) === payment?.version)
    check(isOfOrder, 'a handoff for a version that the order does not have')
    const isOfAmount = since.some((one) => one?.amount === payment?.amount)
    check(isOfAmount, 'a handoff of another amount')
  }

  return {
    stored,
    handoff,
    isInHook: () => inOnPaid.length > 0,
    status: () => readStatus(pick(instances).ledger, orderId),
    reconcile: () => pick(instances).due.reconcile(),
    resolve: async (): Promise<void> => {
      const candidates = (await stored())?.payments.filter(
        ({ state }) =>
          ['reviewing', 'review', 'paying'].includes(state) || (state === 'paid' && happens(0.1)),
      )
      if (!candidates?.length) return
      const { intentId } = pick(candidates)
      const decision = pick(['accepted', 'refunded'] as const)
      await resolve(pick(instances).ledger, { orderId, intentId }, decision)
    },
    edit: (): void => {
      // A paid order is kept.
      if (!has('edits') || order?.paidBy) return
      const customer = { id: pick(['c-1', 'c-2']) }
      const amount = pick([100, 200])
      // Its own version may stay.
      const version = happens(0.3) ? { version: 'v1' } : {}
      order = happens(0.15) ? undefined : { orderId, amount, currency: 'AMD', customer, ...version }
      versions.push(order)
      for (const { costs } of intents.values()) costs?.add(order?.amount)
    },
    pay: (): void => {
      const payable = [...intents.values()].filter(
        ({ isHandedOut, status }) =>
          isHandedOut &&
          (!finalStatuses.includes(status) || (has('reopened') && status === 'failed')),
      )
      if (payable.length === 0) return
      const intent = pick(payable)
      intent.isKnownBusy = false
      intent.changedAt = ++changes
      if (intent.status === 'processing') {
        intent.status = pick(['succeeded', 'requires_payment_method', 'failed'])
      } else if (has('slowResponses')) {
        // Only a result that is not final can be discarded.
        intent.status = pick(['processing', 'processing', 'processing', 'succeeded', 'expired'])
      } else intent.status = pick(['processing', 'succeeded', 'succeeded', 'failed', 'expired'])
      if (intent.status === 'succeeded') intent.costs = new Set([order?.amount])
    },
    changeKey: (): void => {
      isWrongKey = has('wrongKey') && happens(0.3)
    },
    crash: (): void => {
      const at = pick([0, 1])
      const crashed = instances[at]?.process
      if (crashed) world.crash(crashed)
      inOnPaid = inOnPaid.filter((one) => one !== crashed)
      instances[at] = newInstance()
    },
    /** All intents become final. */
    end: (): void => {
      isWrongKey = false
      for (const intent of intents.values()) {
        if (finalStatuses.includes(intent.status)) continue
        intent.status = happens(0.2) && intent.isHandedOut ? 'succeeded' : 'expired'
        intent.costs = new Set([order?.amount])
      }
    },
    /** An order that is not paid can be paid, and no other one. */
    lastHandoff: async (): Promise<void> => {
      const { phase } = paymentState(order, (await stored())?.payments ?? [])
      const canBePaid = order !== undefined && (phase === 'open' || phase === 'failed')
      const given = await handOut(pick(instances).ledger, orderId).catch((error: unknown) => error)
      const isGiven = !(given instanceof Error)
      check(isGiven === canBePaid, `an order that is ${phase}: ${JSON.stringify(given)}`)
    },
    checkEnd: async (): Promise<void> => {
      const record = await stored()
      const all = [...intents.values()]
      const shipped = all.filter(({ isShipped }) => isShipped)
      const isDecided = all.some(({ decision }) => decision)
      check(shipped.length <= 1 || isDecided, 'two payments pay for one order')
      for (const { status, isShipped, isReviewed, decision } of all) {
        if (status !== 'succeeded') continue
        const hasHook = isShipped || isReviewed || decision === 'refunded'
        check(hasHook === true, 'a paid intent without onPaid and onReview')
        const hasBoth = isShipped && isReviewed && !decision
        check(!hasBoth, 'a paid intent with onPaid and onReview')
      }
      const hasState = (...states: Payment['state'][]): boolean =>
        record?.payments.some(({ state }) => states.includes(state)) === true
      check(!record?.checkAt || hasState('open'), `checkAt is left: ${JSON.stringify(record)}`)
      check(!hasState('paying', 'reviewing'), `an order is stuck: ${JSON.stringify(record)}`)
      const { phase } = paymentState(order, record?.payments ?? [])
      check(!['processing', 'unknown'].includes(phase), `an order stays ${phase}`)
      check((phase === 'paid') === hasState('paid'), `the status is ${phase}`)
    },
  }
}
