/** Says why a store cannot be used. @module */
import { readOnly, type StoreError } from '../db/errors.ts'

export function unusableStore({ code }: StoreError): {
  readonly found: string
  readonly advice: string
} {
  if (code === readOnly) {
    return {
      found: 'The database is read-only, or a standby.',
      advice: 'Set PI_DATABASE_URL to the primary, and leave default_transaction_read_only off.',
    }
  }
  return {
    found: `The database cannot be reached (${code}).`,
    advice: 'Check that it is running, and that --database-url or PI_DATABASE_URL names it.',
  }
}
