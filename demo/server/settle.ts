/**
 * Settles what buyers did not come back for: the service calls nobody, so the shop asks.
 *
 * @module
 */
import { reconcile } from '@pi-checkout/server'
import { unsettledIntents } from './order-intents.ts'
import { logFailure } from './problem.ts'
import type { Shop } from './shop.ts'
import { recordVerdict } from './verdicts.ts'

const minute = 60_000

export interface Settling {
  /** Resolves when nothing will be written any more, though an answer may still be awaited. */
  stop(): Promise<void>
}

/** Asks for every unsettled intent at once, and again each minute. */
export function startSettling(shop: Pick<Shop, 'db' | 'intents'>): Settling {
  const stopping = new AbortController()
  const run = (): Promise<void> =>
    settleNow(shop, { signal: stopping.signal }).catch((error) =>
      logFailure('settling failed', error),
    )
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, minute)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 2000))])
    },
  }
}

/**
 * Integration 3 of 5: asks for each intent whose fate is open, and lets the verdict decide.
 *
 * Old intents are among them. One that was paid after all does not make its order paid: it is an
 * alert, which the back office and the buyer's order page show.
 *
 * @param options `orderId`: one order alone, for a buyer who asks. Default: all.
 */
export async function settleNow(
  { db, intents }: Pick<Shop, 'db' | 'intents'>,
  { orderId, signal }: { readonly orderId?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  await reconcile(unsettledIntents(db, orderId), {
    intents,
    signal,
    onVerdict: ({ order, intent, verdict }) => {
      if (intent && !signal?.aborted) recordVerdict(db, { orderId: order.orderId, intent, verdict })
    },
  })
}
