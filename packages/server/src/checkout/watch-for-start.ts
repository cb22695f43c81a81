/** Warns of a shop that never calls `start()` or `reconcile()`: it does not know who paid and closed the page. @module */
import type { Records } from './records.ts'

/** Milliseconds after which an order that is due must have been looked at. */
const patience = 5 * 60_000

/** @returns `seeHandoff` for each handoff, and `end` when the shop looks at the orders that are due. */
export function watchForStart(records: Pick<Records, 'due'>): {
  readonly seeHandoff: () => Promise<void>
  readonly end: () => void
} {
  let isEnded = globalThis.process?.env?.NODE_ENV !== 'production'
  let since: number | undefined
  return {
    end: () => {
      isEnded = true
    },
    seeHandoff: async () => {
      const now = Date.now()
      since ??= now
      if (isEnded || now - since < patience) return
      since = now
      // Another instance, or a scheduler, may look at them.
      const overdue = await records.due(now - patience / 2, 1).catch(() => [])
      if (isEnded || overdue.length === 0) return
      isEnded = true
      // biome-ignore lint/suspicious/noConsole: otherwise the shop would keep money for orders that it does not ship.
      console.warn(
        'pi-checkout: orders are due, and nothing looks at them. Call checkout.start() in each instance, or checkout.reconcile() from a scheduler: otherwise an order whose buyer paid and closed the page stays unpaid.',
      )
    },
  }
}
