/** The order as command-line options. @module */
import type { parseArgs } from 'node:util'
import { type Currency, isCurrency, toMinor } from '@pi-checkout/contract/money'
import type { CreateParams } from '../client/create-params.ts'

/** Options of `create` and `key`, for `parseArgs`. */
export const orderOptions = {
  order: { type: 'string' },
  major: { type: 'string' },
  minor: { type: 'string' },
  amount: { type: 'string' },
  currency: { type: 'string' },
  customer: { type: 'string' },
  email: { type: 'string' },
  name: { type: 'string' },
  metadata: { type: 'string', multiple: true },
  attempt: { type: 'string' },
  namespace: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** Their values. */
export type OrderValues = ReturnType<typeof parseArgs<{ options: typeof orderOptions }>>['values']

/**
 * Reads the order. `create()` checks its fields again.
 *
 * @throws {TypeError} If an option is missing, ambiguous, or malformed.
 */
export function readOrder(values: OrderValues): { params: CreateParams; attempt: number } {
  const { order, customer, email, name } = values
  if (order === undefined) throw new TypeError('--order: is required, such as --order A-1001.')
  const currency = readCurrency(values.currency)
  if (customer === undefined && (email !== undefined || name !== undefined)) {
    throw new TypeError('--customer: is required with --email and --name.')
  }
  const params = {
    orderId: order,
    currency,
    amount: readAmount(values, currency),
    customer: customer === undefined ? undefined : { id: customer, email, name },
    metadata: readMetadata(values.metadata),
  }
  return { params, attempt: readWhole('--attempt', values.attempt ?? '1') }
}

function readCurrency(text: string | undefined): Currency {
  const currency = text?.toUpperCase()
  if (isCurrency(currency)) return currency
  throw new TypeError('--currency: must be AMD, USD, EUR or RUB.')
}

function readAmount({ amount, major, minor }: OrderValues, currency: Currency): number {
  if (amount !== undefined) {
    throw new TypeError(
      '--amount: is ambiguous. Pass --major 1500 for whole units or --minor 150000 for minor units.',
    )
  }
  if ((major === undefined) === (minor === undefined)) {
    throw new TypeError('--major or --minor: pass one of them, such as --major 1500.')
  }
  return major === undefined ? readWhole('--minor', minor ?? '') : toMinor(major, currency)
}

function readWhole(name: string, text: string): number {
  const value = Number(text)
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(value) && value > 0) return value
  throw new TypeError(
    `${name}: must be a whole number from 1; received ${JSON.stringify(text.slice(0, 60))}.`,
  )
}

function readMetadata(pairs: readonly string[] | undefined): Record<string, string> | undefined {
  if (pairs === undefined) return undefined
  return Object.fromEntries(
    pairs.map((pair) => {
      const index = pair.indexOf('=')
      if (index < 1) throw new TypeError('--metadata: must be KEY=VALUE.')
      return [pair.slice(0, index), pair.slice(index + 1)]
    }),
  )
}
