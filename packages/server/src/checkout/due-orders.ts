/** Looks at the orders that are due, so that each has its turn, and warns of a shop that never does. @module */
import { PiError } from '../client/errors.ts'
import { type Ledger, lookForReconcile } from './look-at-order.ts'
import { inTime } from './shop-error.ts'

/** What `reconcile()` did. */
export interface ReconcileSummary {
  /** Number of orders that were looked at. */
  readonly orders: number
  /** Number of errors, each of which was reported. */
  readonly errors: number
}

const minute = 60_000
/** The longest time for which this process passes over an order that fails. */
const maxPause = 60 * minute
/** Milliseconds for one order: the retrieves, the hooks, and the shop's database. */
const orderTimeout = 120_000
/** Orders per page, orders that are looked at at the same time, and failures in a row that end a run. */
const pageSize = 100
const concurrency = 4
const maxFailures = 5
/** Number of orders whose failures are remembered. */
const maxPauses = 10_000
/** Milliseconds after which an order that is due must have been looked at. */
const patience = 5 * minute

export class DueOrders {
  readonly #ledger: Ledger
  /** When to look at an order again that stays due: its intents are gone, or the look failed. */
  readonly #pauses = new Map<string, { readonly until: number; readonly ms: number }>()
  #running: Promise<ReconcileSummary> | undefined
  /** Whether something looks at the orders, or the shop was warned that nothing does: in production only. */
  #isWatched = globalThis.process?.env?.NODE_ENV !== 'production'
  /** When handoffs began, or the due orders were last counted for a warning. */
  #countedAt: number | undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Looks now and after each interval. Returns a function that stops it. */
  start(interval: number): () => Promise<void> {
    const stopping = new AbortController()
    const run = (): Promise<unknown> =>
      this.reconcile(stopping.signal).catch((error: unknown) => this.#ledger.hooks.onError(error))
    let running = run()
    const timer = setInterval(() => {
      if (!this.#running) running = run()
    }, interval)
    // Browsers and some function platforms have numbers instead of timers.
    if (typeof timer === 'object') timer.unref()
    return async () => {
      stopping.abort()
      clearInterval(timer)
      await running
    }
  }

  /** Looks at the orders that are due. A running call is joined. */
  reconcile(signal?: AbortSignal): Promise<ReconcileSummary> {
    this.#isWatched = true
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Warns at a handoff if nothing looks at the orders: then the shop does not know who paid and closed the page. */
  async warnIfForgotten(): Promise<void> {
    const now = Date.now()
    this.#countedAt ??= now
    if (this.#isWatched || now - this.#countedAt < patience) return
    this.#countedAt = now
    // Another instance, or a scheduler, may look at them.
    const overdue = await this.#ledger.records.due(now - patience / 2, 1).catch(() => [])
    if (this.#isWatched || overdue.length === 0) return
    this.#isWatched = true
    // biome-ignore lint/suspicious/noConsole: otherwise the shop would keep money for orders that it does not ship.
    console.warn(
      'pi-checkout: orders are due, and nothing looks at them. Call checkout.start() in each instance, or checkout.reconcile() from a scheduler: otherwise an order whose buyer paid and closed the page stays unpaid.',
    )
  }

  async #run(signal: AbortSignal | undefined): Promise<ReconcileSummary> {
    const run: Run = { looked: new Set(), orders: 0, errors: 0, failures: 0, fatal: undefined }
    for (let limit = pageSize; !signal?.aborted; ) {
      const listed = this.#ledger.records.due(Date.now(), limit)
      const due = await inTime(listed, { ms: orderTimeout, event: 'payments.due did not return' })
      const page = due.filter((orderId) => !run.looked.has(orderId) && !this.#isPaused(orderId))
      if (page.length === 0 && due.length < limit) break
      // The workers share one iterator.
      const orderIds = page.values()
      const work = async (): Promise<void> => {
        for (const orderId of orderIds) await this.#lookAt(orderId, run, signal)
      }
      await Promise.all(Array.from({ length: concurrency }, work))
      if (run.fatal) throw run.fatal.error
      // As many more as stay due.
      limit = pageSize + due.length - page.length
    }
    const { orders, errors } = run
    return { orders, errors }
  }

  async #lookAt(orderId: string, run: Run, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted || run.fatal) return
    run.looked.add(orderId)
    run.orders++
    try {
      const look = lookForReconcile(this.#ledger, orderId)
      // What a hook or a store that hangs does later is as that of another process.
      const event = `order ${JSON.stringify(orderId)} was not checked`
      const { failure, isMissing } = await inTime(look, { ms: orderTimeout, event })
      if (isMissing) this.#pause(orderId)
      else this.#pauses.delete(orderId)
      if (failure !== undefined) throw failure
      run.failures = 0
    } catch (error) {
      run.errors++
      if (!PiError.is(error)) this.#pause(orderId)
      else if (error.retryable) run.failures++
      // Every other order would fail too.
      const isFatal = PiError.is(error) && (error.status === 401 || run.failures >= maxFailures)
      if (isFatal) run.fatal ??= { error }
      else this.#ledger.hooks.onError(error, orderId)
    }
  }

  #isPaused(orderId: string): boolean {
    return (this.#pauses.get(orderId)?.until ?? 0) > Date.now()
  }

  #pause(orderId: string): void {
    const ms = Math.min(2 * (this.#pauses.get(orderId)?.ms ?? minute / 2), maxPause)
    if (this.#pauses.size >= maxPauses) this.#pauses.clear()
    this.#pauses.set(orderId, { until: Date.now() + ms, ms })
  }
}

interface Run {
  readonly looked: Set<string>
  orders: number
  errors: number
  /** In a row. */
  failures: number
  fatal: { readonly error: unknown } | undefined
}
