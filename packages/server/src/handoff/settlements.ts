/**
 * Retrieves the intent of an order, and settles the order if the intent is final. The status route and `reconcile()` share it.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import type { Phase } from '@pi-checkout/contract/spec-decisions'
import type { HandoffClient, HandoffOptions, HandoffOrder } from './options.ts'
import { verify } from './verify.ts'

/** An intent, and what it means for its order. */
export interface Examined {
  readonly intent: PaymentIntent
  readonly phase: Phase | 'mismatch'
}

type Options<Order extends HandoffOrder> = Pick<HandoffOptions<Order, never>, 'intents' | 'settle'>

/** The settlements in progress of one handler. */
export class Settlements<Order extends HandoffOrder> {
  readonly #options: Options<Order>
  readonly #pending = new Map<string, { calls: number; settled?: Promise<unknown> | undefined }>()

  constructor(options: Options<Order>) {
    this.#options = options
  }

  /** Returns the client of the order's merchant. */
  async clientOf(order: Order): Promise<HandoffClient> {
    const { intents } = this.#options
    return typeof intents === 'function' ? intents({ order }) : intents
  }

  /**
   * Examines the intent of an order. Calls for one intent that overlap run the hook once: each retrieves the intent, and all
   * wait for the same settlement.
   *
   * @param isAborted - Returns whether the order must not be settled any more.
   */
  async examine(
    order: Order,
    { id, isAborted = () => false }: { readonly id: string; readonly isAborted?: () => boolean },
  ): Promise<Examined> {
    const key = `${order.orderId} ${id}`
    const pending = this.#pending.get(key) ?? { calls: 0 }
    this.#pending.set(key, pending)
    pending.calls++
    try {
      const client = await this.clientOf(order)
      const intent = await client.retrieve(id)
      const phase = verify(intent, { ...order, id })
      if ((phase === 'paid' || phase === 'failed') && !isAborted()) {
        pending.settled ??= this.#settle({ order, intent, phase })
        await pending.settled.catch((error: unknown) => {
          // The next call tries again.
          pending.settled = undefined
          throw error
        })
      }
      return { intent, phase }
    } finally {
      pending.calls--
      if (pending.calls === 0) this.#pending.delete(key)
    }
  }

  async #settle(about: {
    readonly order: Order
    readonly intent: PaymentIntent
    readonly phase: 'paid' | 'failed'
  }): Promise<void> {
    const { attempt = 1 } = about.order
    const nextAttempt = about.phase === 'failed' ? attempt + 1 : attempt
    await this.#options.settle({ ...about, nextAttempt })
  }
}
