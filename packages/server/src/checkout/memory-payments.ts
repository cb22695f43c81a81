/** Payments in memory, for a test or a first try. @module */
import type { PaymentRecord, PaymentStore } from './payment-record.ts'

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
  const records = new Map<string, PaymentRecord>()
  const keyOf = (scope: string, orderId: string): string => JSON.stringify([scope, orderId])
  return {
    load: (scope, orderId) => records.get(keyOf(scope, orderId)),
    save: (record) => {
      const key = keyOf(record.scope, record.orderId)
      if ((records.get(key)?.revision ?? 0) !== record.revision - 1) return false
      records.set(key, record)
      return true
    },
    due: (scope, now, limit) =>
      [...records.values()]
        .filter((record) => record.scope === scope && record.checkAt && record.checkAt <= now)
        .sort((a, b) => Number(a.checkAt) - Number(b.checkAt))
        .slice(0, limit)
        .map(({ orderId }) => orderId),
  }
}
