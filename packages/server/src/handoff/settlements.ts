/**
 * Retrieves the intent of an order, and settles the order if the intent is final. The status route and `reconcile()` share it.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import type { Phase } from '@pi-checkout/contract/spec-decisions'
import type { HandoffClient, HandoffOptions, HandoffOrder, Settlement } from './options.ts'
import { verify } from './verify.ts'

/** An intent, and what it means for its order. */
export interface Examined {
  readonly intent: PaymentIntent
  readonly phase: Phase | 'mismatch'
}

type Settling<Order extends HandoffOrder> = Omit<Settlement<Order>, 'nextAttempt'>
type Options<Order extends HandoffOrder> = Pick<HandoffOptions<Order, never>, 'intents' | 'settle'>

/** Milliseconds for which calls wait for a `settle` hook. */
const maxWait = 30_000

/** The settlements in progress of one handler. */
export class Settlements<Order extends HandoffOrder> {
  readonly #options: Options<Order>
  readonly #pending = new Map<string, { calls: number; settled?: Promise<void> | undefined }>()

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
   * @param signal - After its abort the order is no longer settled, and a settlement is not waited for.
   */
  async examine(
    order: Order,
    { id, signal }: { readonly id: string; readonly signal?: AbortSignal | undefined },
  ): Promise<Examined> {
    const client = await this.clientOf(order)
    // Two merchants can have the same ids.
    const key = `${await client.tenant?.()} ${order.orderId} ${id}`
    const pending = this.#pending.get(key) ?? { calls: 0 }
    this.#pending.set(key, pending)
    pending.calls++
    try {
      const intent = await client.retrieve(id, { signal })
      const phase = verify(intent, { ...order, id })
      if ((phase === 'paid' || phase === 'failed') && !signal?.aborted) {
        if (!pending.settled) {
          pending.settled = this.#settleInTime({ order, intent, phase })
          // The next call tries again.
          pending.settled.catch(() => {
            pending.settled = undefined
          })
        }
        await untilAborted(pending.settled, signal)
      }
      return { intent, phase }
    } finally {
      pending.calls--
      if (pending.calls === 0) this.#pending.delete(key)
    }
  }

  /** Rejects if the hook does not return. Otherwise its order would wait until a restart. */
  #settleInTime(about: Settling<Order>): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      const rule = `did not return within ${maxWait / 1000} seconds. Set a timeout for the statements of your database.`
      timer = setTimeout(() => reject(new Error(`settle: the hook ${rule}`)), maxWait)
    })
    return Promise.race([this.#settle(about), late]).finally(() => clearTimeout(timer))
  }

  async #settle(about: Settling<Order>): Promise<void> {
    const { attempt = 1 } = about.order
    const nextAttempt = about.phase === 'failed' ? attempt + 1 : attempt
    await this.#options.settle({ ...about, nextAttempt })
  }
}

function untilAborted(settled: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return settled
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve()
    signal.addEventListener('abort', leave, { once: true })
    settled.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject)
  })
}
