/** Loads and changes the records of one merchant's environment. @module */
import { checkedDue, checkedRecord } from './checked-record.ts'
import type { CheckoutClient } from './options.ts'
import type { PaymentRecord, PaymentStore } from './payment-record.ts'
import { HandoffRejection } from './problem.ts'
import type { Change } from './record-changes.ts'

/** How often a record that changes in between is read again. */
const maxTries = 10

export interface Changed {
  readonly before: PaymentRecord
  readonly after: PaymentRecord
}

export class Records {
  readonly #store: PaymentStore
  readonly #intents: Pick<CheckoutClient, 'scope'>

  constructor(store: PaymentStore, intents: Pick<CheckoutClient, 'scope'>) {
    this.#store = store
    this.#intents = intents
  }

  async load(orderId: string): Promise<PaymentRecord> {
    const scope = this.#intents.scope()
    const stored: unknown = await this.#call('load', orderId, () =>
      this.#store.load(scope, orderId),
    )
    if (stored) return checkedRecord(stored, { scope, orderId })
    return { scope, orderId, revision: 0, checkAt: null, payments: [] }
  }

  /**
   * Changes a record with one compare-and-set; again if another process was faster.
   *
   * @param loaded - The record, if it was just loaded.
   * @returns The record before and after the change; twice the same if nothing changed.
   */
  async change(orderId: string, change: Change, loaded?: PaymentRecord): Promise<Changed> {
    let record = loaded ?? (await this.load(orderId))
    for (let number = 1; number <= maxTries; number++) {
      const next = change(record)
      if (!next) return { before: record, after: record }
      const saved: unknown = await this.#call('save', orderId, () => this.#store.save(next))
      if (saved === true) return { before: record, after: next }
      if (saved !== false) throw new TypeError('payments.save: must return true or false.')
      record = await this.load(orderId)
    }
    const rule = `payments.save: returned false ${maxTries} times for order ${JSON.stringify(orderId)}. Return false only if another revision is stored.`
    throw new HandoffRejection('payment_unavailable', rule)
  }

  /** Returns the orders that are due at a time, the earliest first. */
  async due(at: number, limit: number): Promise<readonly string[]> {
    return checkedDue(await this.#store.due(this.#intents.scope(), new Date(at), limit))
  }

  async #call<T>(name: string, orderId: string, run: () => T): Promise<Awaited<T>> {
    try {
      return await run()
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const event = `payments.${name} failed for order ${JSON.stringify(orderId)}: ${reason}`
      throw new Error(event, { cause })
    }
  }
}
