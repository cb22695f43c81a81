/** Checks what a store returns: a record that lost a name would lose a payment, or double it. @module */
import type { PaymentRecord } from './payment-record.ts'

const texts = ['intentId', 'version', 'currency', 'state', 'createdAt', 'handedAt'] as const
const numbers = ['attempt', 'amount'] as const

/** @throws {TypeError} If a store's `load` returned another record, or one that it changed. */
export function checkedRecord(
  stored: unknown,
  asked: Pick<PaymentRecord, 'scope' | 'orderId'>,
): PaymentRecord {
  check(kindOf(stored) === 'an object', 'load: must return an object or undefined', stored)
  const record = stored as PaymentRecord // Each field is checked before it is used.
  const { scope, orderId, revision, checkAt, payments } = record
  check(scope === asked.scope, 'load: scope must be the requested one', scope)
  check(orderId === asked.orderId, 'load: orderId must be the requested one', orderId)
  check(isCount(revision), 'load: revision must be a whole number from 1', revision)
  check(isTimeOrNull(checkAt), 'load: checkAt must be a valid Date or null', checkAt)
  check(Array.isArray(payments), 'load: payments must be an array', payments)
  for (const payment of payments) {
    check(kindOf(payment) === 'an object', 'load: each payment must be an object', payment)
    for (const name of texts)
      check(isText(payment[name]), `load: ${name} of a payment must be text`, payment[name])
    for (const name of numbers) {
      const rule = `load: ${name} of a payment must be a whole number from 1`
      check(isCount(payment[name]), rule, payment[name])
    }
    const hasNull = Object.values<unknown>(payment).includes(null)
    check(!hasNull, 'load: a field of a payment must be absent if it is undefined', null)
  }
  return record
}

/** @throws {TypeError} If a store's `due` returned anything but order ids. */
export function checkedDue(ids: unknown): readonly string[] {
  check(Array.isArray(ids), 'due: must return an array', ids)
  for (const id of ids) check(isText(id), 'due: each order id must be text', id)
  return ids
}

/** Returns what a value is, for messages that must not repeat it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return String(value) || 'an empty text'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function check(isKept: boolean, rule: string, value: unknown): asserts isKept {
  if (isKept) return
  const fix = 'Return what was saved, without renaming or converting it.'
  throw new TypeError(`payments.${rule}; received ${kindOf(value)}. ${fix}`)
}
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0
const isTimeOrNull = (value: unknown): boolean =>
  value === null || (value instanceof Date && !Number.isNaN(value.getTime()))
