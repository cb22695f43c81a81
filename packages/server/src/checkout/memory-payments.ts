/** Payments in memory, for a test or a first try. @module */
import type { PaymentRow, PaymentStore } from './payment-record.ts'

let hasWarned = false

/**
 * Returns a store that loses all payments when the process ends. The first one in a process with `NODE_ENV=production` warns.
 *
 * @example
 * const checkout = createCheckout({ ...shop, payments: memoryPayments() })
 */
export function memoryPayments(): PaymentStore {
  if (!hasWarned && globalThis.process?.env?.NODE_ENV === 'production') {
    hasWarned = true
    const loss = 'memoryPayments() loses all payments when the process ends. Use sqlPayments().'
    // biome-ignore lint/suspicious/noConsole: a shop would lose its payments with the process.
    console.warn(`pi-checkout: ${loss}`)
  }
  const rows = new Map<string, PaymentRow>()
  const keyOf = (scope: string, orderId: string): string => JSON.stringify([scope, orderId])
  return {
    load: (scope, orderId) => rows.get(keyOf(scope, orderId))?.text,
    save: (row) => {
      const key = keyOf(row.scope, row.orderId)
      if ((rows.get(key)?.revision ?? 0) !== row.revision - 1) return false
      rows.set(key, row)
      return true
    },
    due: (scope, now, limit) =>
      [...rows.values()]
        .filter((row) => row.scope === scope && row.checkAt && row.checkAt <= now)
        .sort((a, b) => Number(a.checkAt) - Number(b.checkAt))
        .slice(0, limit)
        .map(({ orderId }) => orderId),
  }
}
