/** Checks what a store returns. @module */
import type { PaymentRecord } from './payment-record.ts'

export function checkedRecord(
  stored: unknown,
  _of: { readonly scope: string; readonly orderId: string },
): PaymentRecord {
  return stored as PaymentRecord
}

export function checkedDue(ids: unknown): readonly string[] {
  return ids as readonly string[]
}
