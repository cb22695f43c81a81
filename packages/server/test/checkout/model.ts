/**
 * Plays random schedules of two merchants with two instances each, one store, and equal order ids: at each `await` another
 * part may go on, an instance may crash, and a request may fail. It returns what was violated.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import Database from 'libsql'
import { vi } from 'vitest'
import type { Ledger } from '../../src/checkout/look-at-order.ts'
import type { Payment, PaymentRecord, PaymentStore } from '../../src/checkout/payment-record.ts'
import { type CheckoutOrder, orderVersion, paymentState } from '../../src/checkout/payment-state.ts'
import { prepareCreate } from '../../src/client/idempotency-key.ts'
import {
  memoryPayments,
  PiError,
  type PiErrorFacts,
  type SqlQuery,
  sqlPayments,
  sqlPaymentsTable,
} from '../../src/index.ts'
import { intentOf } from '../scripted-service.ts'
import type * as parts from './parts.ts'

/**
 * A fault that a schedule may have. `plainHook`: `onPaid` returns true for each payment. `slowResponses`: responses to a
 * retrieve are often older than what another process has stored since. `lostRecords`: the store loses all records, as
 * `memoryPayments()` does with its process; then only handoffs are checked. `reopened`: the service is another one, and a
 * failed payment can be paid. `clockJumps`: to another day, and back. `ages`: months pass. `rowForms`: a client of the
 * database returns rows in a form of its own.
 */
export type Fault =
  | 'crashes'
  | 'lostResponses'
  | 'failingHooks'
  | 'failingStore'
  | 'expiredKeys'
  | 'edits'
  | 'wrongKey'
  | 'plainHook'
  | 'slowResponses'
  | 'lostRecords'
  | 'reopened'
  | 'clockJumps'
  | 'ages'
  | 'rowForms'

/** The mixes that are played in turn. */
const mixes: readonly (readonly Fault[])[] = [
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
  ['edits', 'rowForms', 'crashes'],
  ['ages', 'wrongKey', 'lostResponses'],
  ['edits', 'crashes', 'lostResponses', 'failingHooks', 'failingStore', 'expiredKeys', 'wrongKey'],
]

const database = new Database(':memory:')
database.exec(sqlPaymentsTable.sqlite)
type Row = Readonly<Record<string, unknown>>
const rowForms: readonly ((row: Row) => unknown)[] = [
  (row) => row,
  Object.values,
  (row) => Object.fromEntries(Object.entries(row).map(([name, at]) => [name.toUpperCase(), at])),
  (row) => Object.fromEntries(Object.entries(row).map(([name, at]) => [`a.${name}`, at])),
]

function sqlStore(seed: number): PaymentStore {
  const form = rowForms[seed % rowForms.length] ?? Object.values
  const query: SqlQuery = (sql, values) => {
    const rows = database.prepare(sql).all(...values) as Row[] // The rows of these statements.
    return rows.map(form)
  }
  return sqlPayments(query, { dialect: 'sqlite' })
}

/** What a schedule plays. */
export interface Model {
  readonly seed: number
  /** @default One of `mixes`, in turn. */
  readonly mix?: readonly Fault[] | undefined
  /** The classes under test. */
  readonly parts: typeof parts
  /** @default memoryPayments, or SQLite */
  readonly newStore?: (seed: number) => PaymentStore
  /** How the environments are told apart. */
  readonly scopeOf?: (merchant: number) => string
}

/** What a handoff has seen. */
interface Call {
  readonly seen: Map<string, string>
  /** Number of the versions of the order when its last create returned. */
  versions: number
}

const calls = new AsyncLocalStorage<Call>()

interface Intent {
  readonly id: string
  readonly amount: number
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'failed' | 'expired'
}

const orderId = 'A-1001'
const day = 86_400_000
const finalStatuses = ['succeeded', 'failed', 'expired']
const waiting: readonly Payment['state'][] = ['processing', 'unknown', 'paying', 'paid']

/** Plays one schedule. Returns the violated rule, or `undefined`. */
export async function play({
  seed,
  parts,
  mix = mixes[seed % mixes.length] ?? [],
  newStore = mix.includes('rowForms') ? sqlStore : memoryPayments,
  scopeOf = (merchant) => `test environment${merchant} ${seed}`,
}: Model) {
  const has = (fault: Fault): boolean => mix.includes(fault)
  const random = seededRandom(seed)
  const happens = (probability: number): boolean => random() < probability
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const violations: string[] = []
  const check = (holds: boolean, rule: string): void => {
    if (!holds) violations.push(rule)
  }
  let store = newStore(seed)
  let losses = 0
  let isCalm = false
  vi.setSystemTime(Date.UTC(2026, 0, 1))
  const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms)
  const fails = (probability: number): boolean => !isCalm && happens(probability)

  // A part waits at a gate until the schedule lets it go on. A crashed instance never does.
  interface Process {
    isCrashed: boolean
  }
  const gates: { readonly process: Process; readonly resume: () => void }[] = []
  const gate = (process: Process): Promise<void> =>
    new Promise((resume) => gates.push({ process, resume }))

  const merchants: readonly Merchant[] = [newMerchant(0), newMerchant(1)]
  const actions: Record<string, (merchant: Merchant) => Promise<unknown> | undefined> = {
    handoff: ({ handoff }) => handoff(),
    handoffAgain: ({ handoff }) => handoff(),
    status: ({ instance }) => instance().payments.state(orderId),
    reconcile: ({ instance, isInHook }) => {
      // A hook ends within its time limit.
      if (!merchants.some(({ isInHook }) => isInHook())) {
        pass(pick(has('ages') ? [day, 2 * day, 91 * day] : [1_000, 61_000, 3_600_000]))
      }
      return isInHook() ? undefined : instance().due.reconcile()
    },
    resolve: ({ resolve }) => resolve(),
    resolveAgain: ({ resolve }) => resolve(),
    payAgain: ({ pay }) => pay(),
    edit: ({ edit }) => edit(),
    pay: ({ pay }) => pay(),
    lastHandoff: ({ lastHandoff }) => (isCalm ? lastHandoff() : undefined),
    fault: ({ breakKey }) => {
      if (has('clockJumps') && happens(0.5) && !merchants.some(({ isInHook }) => isInHook())) {
        pass(pick([91 * day, -91 * day, 2 * day, -3_600_000]))
      }
      if (has('lostRecords') && happens(0.5)) {
        losses++
        store = newStore(seed + losses)
      }
      return breakKey()
    },
  }

  let running = 0
  const start = (name: string, merchant: Merchant): void => {
    const task = actions[name]?.(merchant)
    if (!task) return
    running++
    const end = (): void => void running--
    task.then(end, (error: unknown) => {
      end()
      const text = String(error)
      const isExpected =
        PiError.is(error) ||
        /HandoffRejection|^InvalidParams|^Error: .*(onPaid|injected)/.test(text)
      if (!isExpected) violations.push(`${name}: ${text}`)
    })
  }
  // It runs when no promise is left to continue: every part waits at a gate then.
  const settle = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
  const resumeOne = (): void => {
    pass(1)
    gates.splice(Math.floor(random() * gates.length), 1)[0]?.resume()
  }
  const drain = async (): Promise<void> => {
    await settle()
    while (gates.length > 0) {
      resumeOne()
      await settle()
    }
  }

  for (let left = has('ages') ? 30 : 20; left > 0 || gates.length > 0; ) {
    await settle()
    if (left > 0 && (gates.length === 0 || happens(0.3))) {
      left--
      start(pick(Object.keys(actions)), pick(happens(0.7) ? merchants.slice(0, 1) : merchants))
    } else if (has('crashes') && happens(0.03)) {
      pick(merchants).crash()
    } else resumeOne()
  }
  await drain()
  if (has('lostRecords')) return violations[0]

  // Calm: the intents become final, and time passes.
  isCalm = true
  for (const merchant of merchants) merchant.end()
  for (let round = 0; round < 200; round++) {
    const records = await Promise.all(merchants.map(({ stored }) => stored()))
    if (records.every((record) => (record?.checkAt ?? null) === null)) break
    for (const merchant of merchants) start('reconcile', merchant)
    await drain()
    pass(day)
  }
  for (const merchant of merchants) start('lastHandoff', merchant)
  await drain()
  for (const { checkEnd } of merchants) await checkEnd()
  return violations[0]

  function newMerchant(number: number) {
    const scope = scopeOf(number)
    const intents = new Map<string, Intent>()
    const keys = new Map<string, string>()
    const handedOut = new Set<string>()
    let order: (CheckoutOrder & { paidBy?: string }) | undefined
    order = { orderId, amount: 100 * (number + 1), currency: 'AMD' }
    /** The order as it was, and is. */
    const versions = [order as typeof order | undefined]
    const paidBy: string[] = []
    const reviewed = new Set<string>()
    const decisions = new Map<string, string>()
    let isWrongKey = false
    /** The processes whose `onPaid` is running. */
    let inOnPaid: Process[] = []
    /** When each intent was retrieved. */
    const looks = new Map<string, number[]>()
    /** The intents that the record has shown as busy, as they still are. */
    const knownBusy = new Set<string>()
    /** Number of the change after which each intent has its status. */
    const changedAt = new Map<string, number>()
    let changes = 0
    /** What the order cost at any time since each intent was paid. */
    const amountsSincePaid = new Map<string, Set<number | undefined>>()
    const isOpen = (id: string): boolean => intents.get(id)?.status === 'requires_payment_method'
    const isBusy = (id: string): boolean =>
      ['processing', 'succeeded'].includes(intents.get(id)?.status ?? '') &&
      decisions.get(id) !== 'refunded'
    const stored = async () => store.load(scope, orderId)

    const failed = (code: PiErrorFacts['code'], status?: number): Error =>
      new PiError(code, { code, status, outcome: 'unknown', retryable: !status, requests: [] })

    const newInstance = () => {
      const process: Process = { isCrashed: false }
      const client: Ledger['intents'] = {
        totalTimeout: 30_000,
        translates: has('reopened'),
        scope: () => scope,
        check: async () => ({ environment: 'test' }),
        create: async (params, { attempt } = {}) => {
          await gate(process)
          const { key } = await prepareCreate(params, { attempt })
          if (has('lostResponses') && fails(0.1)) throw failed('connection_lost')
          if (has('expiredKeys') && fails(0.1)) keys.delete(key)
          const isStored = keys.has(key)
          const id = keys.get(key) ?? `pi_${number}_${intents.size + 1}`
          const { amount } = params
          if (!isStored) intents.set(id, { id, amount, status: 'requires_payment_method' })
          keys.set(key, id)
          await gate(process)
          if (has('lostResponses') && fails(0.1)) throw failed('connection_lost')
          const call = calls.getStore()
          if (call) call.versions = versions.length
          return {
            replayed: isStored || has('reopened'),
            intent: intentOf({ id, amount, currency: 'AMD', orderId }),
            handoff: { id, clientSecret: 'fixture' },
          }
        },
        retrieve: async (id) => {
          await gate(process)
          const intent = intents.get(id)
          if (isWrongKey && happens(0.2)) throw failed('invalid_credentials', 401)
          if (isWrongKey || !intent) throw failed('payment_intent_not_found', 404)
          if (has('lostResponses') && fails(0.3))
            throw happens(0.5) ? failed('connection_lost') : failed('unexpected_response', 400)
          const { amount, status } = intent
          const slow = has('slowResponses') && happens(0.5) ? 8 : 1
          for (let count = 1; count <= slow; count++) await gate(process)
          looks.set(id, [...(looks.get(id) ?? []), Date.now()])
          calls.getStore()?.seen.set(id, status)
          return intentOf({ id, amount, currency: 'AMD', orderId, status })
        },
      }
      const checkSaved = (record: PaymentRecord, before: PaymentRecord | undefined): void => {
        check(record.scope === scope, "a save of another merchant's record")
        const pays = record.payments.filter(({ state }) => state === 'paying' || state === 'paid')
        check(pays.length <= 1, 'two payments are the order’s')
        for (const { intentId, state, reason } of record.payments) {
          if (state === 'refunded') decisions.set(intentId, 'refunded')
          if (state === 'paying' && reason === 'accepted') decisions.set(intentId, 'accepted')
          if (state !== 'open' && isBusy(intentId)) knownBusy.add(intentId)
        }
        if (record.checkAt !== null || before?.checkAt === null) return
        const pending = record.payments.filter(({ state }) => ['open', 'unknown'].includes(state))
        const handedAt = Math.max(...record.payments.map((one) => Date.parse(one.handedAt)))
        const isSeen = pending.every(({ intentId }) => {
          const seen = (looks.get(intentId) ?? []).filter((at) => at >= handedAt + 90 * day)
          return Date.now() - (seen.at(-1) ?? 0) < day / 2 && Date.now() - (seen[0] ?? 0) >= day
        })
        check(isSeen || has('clockJumps'), 'an order is left alone unseen')
      }
      const ledger = {
        intents: client,
        order: async () => {
          await gate(process)
          return order && { ...order }
        },
        records: new parts.Records(
          {
            load: async (...args) => {
              await gate(process)
              if (has('failingStore') && fails(0.05)) throw new Error('injected')
              return store.load(...args)
            },
            save: async (record) => {
              await gate(process)
              if (has('failingStore') && fails(0.05)) throw new Error('injected')
              const before = await store.load(record.scope, record.orderId)
              const isSaved = await store.save(record)
              if (isSaved) checkSaved(record, before)
              await gate(process)
              if (has('failingStore') && fails(0.05)) throw new Error('injected')
              return isSaved
            },
            due: async (...args) => {
              await gate(process)
              return store.due(...args)
            },
          },
          client,
        ),
        hooks: {
          onError: () => {},
          onPaid: async ({ payment, accepted }: { payment: Payment; accepted: boolean }) => {
            inOnPaid.push(process)
            check(inOnPaid.length === 1, 'onPaid runs in two processes at a time')
            check(intents.has(payment.intentId), "onPaid of another merchant's intent")
            await gate(process)
            inOnPaid = inOnPaid.filter((one) => one !== process)
            if (has('failingHooks') && fails(0.3)) throw new Error('onPaid')
            const { intentId, amount } = payment
            const fits = accepted || amountsSincePaid.get(intentId)?.has(amount) === true
            check(fits, 'onPaid runs for a version that the order no longer had when it was paid')
            check(decisions.get(intentId) !== 'refunded', 'a refunded payment ships')
            const isFree = order?.paidBy === undefined || order.paidBy === intentId
            const isShipped = decisions.get(order?.paidBy ?? '') === 'refunded'
            const pays =
              has('plainHook') || ((order?.amount === amount || accepted) && (isFree || isShipped))
            if (pays && order) order.paidBy = intentId
            if (pays) paidBy.push(intentId)
            if (has('failingHooks') && fails(0.3)) throw new Error('onPaid')
            return pays
          },
          onReview: async ({ payment }: { payment: Payment }) => {
            await gate(process)
            if (has('failingHooks') && fails(0.3)) throw new Error('onReview')
            reviewed.add(payment.intentId)
            await gate(process)
          },
        },
      }
      const payments = new parts.OrderPayments(ledger)
      const due = new parts.DueOrders(ledger)
      return { process, payments, due }
    }
    const instances = [newInstance(), newInstance()]
    const instance = () => pick(instances)

    return {
      instance,
      stored,
      isInHook: () => inOnPaid.length > 0,
      handoff: async (): Promise<void> => {
        const { payments } = instance()
        const call: Call = { seen: new Map(), versions: 0 }
        const lossesBefore = losses
        const startedAt = changes
        const busy = ((await stored())?.payments ?? []).filter(({ intentId }) => isBusy(intentId))
        const given = await calls.run(call, () => payments.handoff(orderId))
        handedOut.add(given.id)
        const isUnchanged = (id: string): boolean => (changedAt.get(id) ?? 0) <= startedAt
        check(
          isOpen(given.id) || !isUnchanged(given.id),
          'a handoff of an intent that cannot be paid',
        )
        if (losses !== lossesBefore) return
        check(given.id.startsWith(`pi_${number}_`), "a handoff of another merchant's intent")
        const record = await stored()
        const payment = record?.payments.find(({ intentId }) => intentId === given.id)
        const blocking = record?.payments.some(
          ({ state }) => waiting.includes(state) || state === 'reviewing' || state === 'review',
        )
        check(payment !== undefined, 'a handoff is not stored')
        const others = busy.filter(({ intentId }) => isBusy(intentId) && isUnchanged(intentId))
        check(others.length === 0 || has('wrongKey'), 'a handoff while another payment was busy')
        check(!blocking, 'a handoff while a payment is processing, paid, or under review')
        check(![...knownBusy].some(isBusy), 'a handoff while a payment is known to be busy')
        const hasSeen = [...call.seen].some(([id, status]) => status === 'processing' && isBusy(id))
        check(!hasSeen, 'a handoff that has seen another payment processing')
        const since = versions.slice(Math.max(call.versions - 1, 0))
        const isOfOrder = since.some((one) => one && orderVersion(one) === payment?.version)
        check(isOfOrder, 'a handoff for a version that the order does not have')
        const isOfAmount = since.some((one) => one?.amount === payment?.amount)
        check(isOfAmount, 'a handoff of another amount')
      },
      resolve: async (): Promise<void> => {
        const record = await stored()
        const candidates = record?.payments.filter(
          ({ state }) =>
            ['reviewing', 'review', 'paying'].includes(state) || (state === 'paid' && happens(0.1)),
        )
        if (!candidates?.length) return
        const { intentId } = pick(candidates)
        const decision = pick(['accepted', 'refunded'] as const)
        await instance().payments.resolve({ orderId, intentId }, decision)
      },
      edit: (): undefined => {
        // A paid order is kept.
        if (!has('edits') || order?.paidBy) return
        const customer = { id: pick(['c-1', 'c-2']) }
        const amount = pick([100, 200])
        // Its own version may stay.
        const version = happens(0.3) ? { version: 'v1' } : {}
        order = happens(0.15)
          ? undefined
          : { orderId, amount, currency: 'AMD', customer, ...version }
        versions.push(order)
        for (const amounts of amountsSincePaid.values()) amounts.add(order?.amount)
      },
      pay: (): undefined => {
        const payable = [...handedOut].filter((id) => {
          const { status = '' } = intents.get(id) ?? {}
          return !finalStatuses.includes(status) || (has('reopened') && status === 'failed')
        })
        const intent = payable.length > 0 ? intents.get(pick(payable)) : undefined
        if (!intent) return
        knownBusy.delete(intent.id)
        changedAt.set(intent.id, ++changes)
        intent.status = pick(
          intent.status === 'processing'
            ? ['succeeded', 'requires_payment_method', 'failed']
            : ['processing', 'succeeded', 'succeeded', 'failed', 'expired'],
        )
        if (intent.status === 'succeeded') amountsSincePaid.set(intent.id, new Set([order?.amount]))
      },
      breakKey: (): undefined => {
        isWrongKey = has('wrongKey') && happens(0.3)
      },
      crash: (): void => {
        const at = pick([0, 1])
        const { process } = instances[at] as (typeof instances)[number]
        for (let index = gates.length - 1; index >= 0; index--) {
          if (gates[index]?.process === process) gates.splice(index, 1)
        }
        inOnPaid = inOnPaid.filter((one) => one !== process)
        instances[at] = newInstance()
      },
      end: (): void => {
        isWrongKey = false
        for (const intent of intents.values()) {
          if (finalStatuses.includes(intent.status)) continue
          intent.status = happens(0.2) && handedOut.has(intent.id) ? 'succeeded' : 'expired'
          amountsSincePaid.set(intent.id, new Set([order?.amount]))
        }
      },
      /** An order that is not paid can be paid, and no other one. */
      lastHandoff: async (): Promise<void> => {
        const { phase } = paymentState(order, await stored())
        const canBePaid = order !== undefined && (phase === 'open' || phase === 'failed')
        const given = await instance()
          .payments.handoff(orderId)
          .catch((error: unknown) => error)
        const isGiven = !(given instanceof Error)
        check(isGiven === canBePaid, `an order that is ${phase}: ${JSON.stringify(given)}`)
      },
      checkEnd: async (): Promise<void> => {
        const record = await stored()
        const paid = [...intents.values()].filter(({ status }) => status === 'succeeded')
        const paying = new Set(paidBy)
        check(paying.size <= 1 || decisions.size > 0, 'two payments pay for one order')
        for (const { id } of paid) {
          const isDecided = decisions.has(id)
          check(
            paying.has(id) || reviewed.has(id) || decisions.get(id) === 'refunded',
            'a paid intent without onPaid and onReview',
          )
          check(
            !(paying.has(id) && reviewed.has(id)) || isDecided,
            'a paid intent with onPaid and onReview',
          )
        }
        const isLeft = record?.checkAt && !record.payments.some(({ state }) => state === 'open')
        check(!isLeft, `checkAt is left: ${JSON.stringify(record)}`)
        const stuck = record?.payments.find(({ state }) => ['paying', 'reviewing'].includes(state))
        check(!stuck, `an order is stuck: ${JSON.stringify(stuck)}`)
        const { phase } = paymentState(order, record)
        check(!['processing', 'unknown'].includes(phase), `an order stays ${phase}`)
        const isPaid = record?.payments.some(({ state }) => state === 'paid') === true
        check((phase === 'paid') === isPaid, `the status is ${phase}`)
      },
    }
  }
}

interface Merchant {
  readonly instance: () => { readonly payments: parts.OrderPayments; readonly due: parts.DueOrders }
  readonly stored: () => Promise<PaymentRecord | undefined>
  readonly isInHook: () => boolean
  readonly handoff: () => Promise<void>
  readonly resolve: () => Promise<void>
  readonly edit: () => undefined
  readonly pay: () => undefined
  readonly breakKey: () => undefined
  readonly crash: () => void
  readonly end: () => void
  readonly lastHandoff: () => Promise<void>
  readonly checkEnd: () => Promise<void>
}
