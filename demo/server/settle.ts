/**
 * Settles what buyers did not come back for: the service calls nobody, so the shop asks.
 *
 * @module
 */
import { type PaymentIntents, reconcile } from '@pi-checkout/server'
import type { Database } from './database.ts'
import { unsettledIntents } from './orders.ts'
import { logFailure } from './problem.ts'
import { recordVerdict } from './verdicts.ts'

const minute = 60_000

export interface Settling {
  /** Resolves when no question is under way any more. */
  stop(): Promise<void>
}

/** Asks for every unsettled intent at once, and again each minute. */
export function startSettling(db: Database, intents: PaymentIntents): Settling {
  const stopping = new AbortController()
  const run = (): Promise<void> =>
    settleNow(db, intents, stopping.signal).catch((error) => logFailure('settling failed', error))
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, minute)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}

/**
 * Integration 3 of 5: asks for each intent whose fate is open, and lets the verdict decide.
 *
 * Old intents are among them. One that was paid after all does not make its order paid: it is an
 * alert, which the back office and the buyer's order page show.
 */
export async function settleNow(
  db: Database,
  intents: PaymentIntents,
  signal?: AbortSignal,
): Promise<void> {
  await reconcile(unsettledIntents(db), {
    intents,
    signal,
    onVerdict: ({ order: { orderId }, intent, verdict }) => {
      if (intent) recordVerdict(db, { orderId, intent, verdict })
    },
  })
}
