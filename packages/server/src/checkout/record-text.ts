/** A record as the text that a store keeps. A record that lost a name would lose a payment, or double it. @module */
import type { PaymentRecord, PaymentRow } from './payment-record.ts'

/** The start of each text. Some clients parse a text that starts as JSON does, and rename what it contains. */
const start = 'payments '

export function rowOf(record: PaymentRecord): PaymentRow {
  const { scope, orderId, revision, checkAt } = record
  return { scope, orderId, revision, checkAt, text: start + JSON.stringify(record) }
}

/**
 * Reads what a store's `load` returned.
 *
 * @throws {TypeError} If it is not the text of this order's record.
 */
export function recordOf(
  text: unknown,
  { scope, orderId }: Pick<PaymentRecord, 'scope' | 'orderId'>,
): PaymentRecord {
  const record = parsed(text)
  if (record && record.scope === scope && record.orderId === orderId) return record
  const received = typeof text === 'string' ? 'another text' : kindOf(text)
  throw new TypeError(
    `payments.load: must return the text of a row as it was saved; received ${received}. Don't change or convert it.`,
  )
}

/** @returns `undefined` for what is not the text of a record. The parser's error would repeat it. */
function parsed(text: unknown): PaymentRecord | undefined {
  if (typeof text !== 'string' || !text.startsWith(start)) return undefined
  try {
    const { checkAt, ...record } = JSON.parse(text.slice(start.length))
    const isRecord = typeof record.orderId === 'string' && Array.isArray(record.payments)
    return isRecord ? { ...record, checkAt: checkAt && new Date(checkAt) } : undefined
  } catch {
    return undefined
  }
}

/** Returns what a value is, for messages that must not repeat it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return String(value) || 'an empty text'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
