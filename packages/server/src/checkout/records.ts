/** Loads and changes the records of one merchant's environment. @module */
import type { CheckoutClient } from './options.ts'
import type { PaymentRecord, PaymentStore } from './payment-record.ts'
import type { Change } from './record-changes.ts'
import { kindOf, recordOf, rowOf } from './record-text.ts'
import { callShop, ShopError } from './shop-error.ts'

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
    const event = `payments.load failed for order ${JSON.stringify(orderId)}`
    const stored: unknown = await callShop(event, () => this.#store.load(scope, orderId))
    return stored === undefined
      ? { scope, orderId, revision: 0, checkAt: null, payments: [] }
      : recordOf(stored, { scope, orderId })
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
      const event = `payments.save failed for order ${JSON.stringify(orderId)}`
      const saved: unknown = await callShop(event, () => this.#store.save(rowOf(next)))
      if (saved === true) return { before: record, after: next }
      if (saved !== false) throw new TypeError('payments.save: must return true or false.')
      record = await this.load(orderId)
    }
    const rule = `payments.save: returned false ${maxTries} times for order ${JSON.stringify(orderId)}. Return false only if another revision is stored.`
    throw new ShopError(rule)
  }

  /** Returns the orders that are due at a time, the earliest first. */
  async due(at: number, limit: number): Promise<readonly string[]> {
    const scope = this.#intents.scope()
    const event = 'payments.due failed (create the table of sqlPaymentsTable in a migration)'
    const ids: unknown = await callShop(event, () => this.#store.due(scope, new Date(at), limit))
    const isText = (id: unknown): boolean => typeof id === 'string' && id !== ''
    if (Array.isArray(ids) && ids.every(isText)) return ids
    const received = kindOf(Array.isArray(ids) ? ids.find((id) => !isText(id)) : ids)
    throw new TypeError(`payments.due: must return an array of order ids; received ${received}.`)
  }
}
