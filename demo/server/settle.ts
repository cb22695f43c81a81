/** Settles payments of buyers who did not return. The service sends no webhooks, so the shop polls. @module */
import { PiError, type ReconcileReport } from '@pi-checkout/server'
import type { Database } from './database.ts'
import { unsettledIntents } from './order-intents.ts'
import { unpaidOrder } from './orders.ts'
import { logFailure } from './problem.ts'
import type { Shop } from './shop.ts'
import { recordVerdict } from './verdicts.ts'

export interface Settling {
  /** Resolves when no write follows, even if a response is still pending. */
  stop(): Promise<void>
}

/** Retrieves all unsettled intents now, and again after each pause, in milliseconds. */
export function startSettling(shop: Pick<Shop, 'db' | 'checkout'>, pause: number): Settling {
  const stopping = new AbortController()
  const run = (): Promise<void> =>
    settleNow(shop, { signal: stopping.signal }).catch((error) =>
      logFailure('settling failed', error),
    )
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, pause)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 2000))])
    },
  }
}

/**
 * Integration 3 of 5: retrieves each intent without a final verdict, and updates its order.
 *
 * Old intents are included. A payment for one of them does not make its order paid: it is logged, and shown to the
 * buyer.
 *
 * @param options - `orderId`: only this order, for a buyer who opened it.
 * @default All orders
 */
export async function settleNow(
  { db, checkout }: Pick<Shop, 'db' | 'checkout'>,
  { orderId, signal }: { readonly orderId?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const onReport = (report: ReconcileReport): void => storeReport(db, report)
  await checkout.reconcile(unsettledIntents(db, orderId), { signal, onReport })
}

/** The handler's `settle` hook has stored a final phase. */
function storeReport(db: Database, report: ReconcileReport): void {
  if (report.kind === 'settled' || report.kind === 'error') return
  const { intent, order } = report
  const verdict = report.kind === 'pending' ? report.phase : 'mismatch'
  recordVerdict(db, { orderId: order.orderId, intent, verdict })
}

/**
 * Retrieves the open intents of a session's unpaid order before the order may change: at most 20, for 3 seconds,
 * because the buyer waits.
 *
 * @returns Whether the service has returned each of them, or does not have it.
 */
export async function retrieveOpenIntents(
  { db, checkout }: Pick<Shop, 'db' | 'checkout'>,
  session: string,
): Promise<boolean> {
  const order = unpaidOrder(db, session)
  if (!order) return true
  let unknown = 0
  const asked = checkout.reconcile(unsettledIntents(db, order.id).slice(-mostAsked), {
    onReport: (report) => {
      storeReport(db, report)
      if (!isKnown(report)) unknown++
    },
  })
  const areAsked = asked.then(
    () => unknown === 0,
    (error) => {
      logFailure('settling failed', error)
      return false
    },
  )
  return await Promise.race([areAsked, falseAfter(longestAsk)])
}

const mostAsked = 20
const longestAsk = 3000

/** An intent that the service does not have cannot be paid. */
function isKnown(report: ReconcileReport): boolean {
  if (report.kind === 'error') return report.error instanceof PiError && report.error.status === 404
  return report.kind !== 'pending' || report.phase !== 'unknown'
}

function falseAfter(ms: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), ms).unref()
  })
}
