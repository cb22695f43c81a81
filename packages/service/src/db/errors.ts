/**
 * Errors of the store: SQLSTATE and constraint, and no values.
 *
 * @module
 */

/**
 * A statement failed. It names the rule that broke and hides values and row: PostgreSQL quotes them in
 * some of its messages, and they may be a customer's. That is why there is no `cause`.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** SQLSTATE, or the system's code of a lost connection. */
  readonly code: string
  readonly constraint: string | undefined
  /** Name of the prepared statement, as PostgreSQL's own log shows it. */
  readonly statement: string | undefined
  /** Nothing is wrong with the request: the store cannot be reached or cannot write now. */
  readonly unavailable: boolean

  /** @param failed `reason`: what the driver or the server said; kept where it quotes no value. */
  constructor(
    code: string,
    failed: {
      readonly constraint?: string | undefined
      readonly statement?: string | undefined
      readonly reason?: string | undefined
    } = {},
  ) {
    const { constraint, statement, reason } = failed
    const rule = [code, constraint].filter(Boolean).join(' ')
    const shown = reason !== undefined && !quotesValues(code) ? ` (${reason})` : ''
    super(`The store rejected a statement: ${rule}${shown}`)
    this.code = code
    this.constraint = constraint
    this.statement = statement
    this.unavailable =
      !sqlState.test(code) || unavailableClasses.has(code.slice(0, 2)) || lockConflicts.has(code)
  }
}

/** Too many requests wait for the store: the response is 503 with `Retry-After`. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded'

  constructor() {
    super('Too many requests wait for the store')
  }
}

/** SQLSTATE of a statement that has waited for another's lock as long as one waits. */
export const lockNotAvailable = '55P03'

/** That, and of a deadlock. */
const lockConflicts: ReadonlySet<string> = new Set([lockNotAvailable, '40P01'])

/** Tells whether a statement met another's lock: nothing of it counts, and it may be sent again. */
export function isLockConflict(error: unknown): boolean {
  return error instanceof StoreError && lockConflicts.has(error.code)
}

/** Tells whether a failed statement of many rows may succeed without one of them. */
export function isOneRowsFault(error: unknown): boolean {
  return error instanceof StoreError && !error.unavailable
}

/** Returns whether the connection is of no more use. */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof StoreError && !sqlState.test(error.code)
}

/** Makes an error of the driver or the server one that shows no values. */
export function storeError(error: unknown, statement?: string): StoreError {
  const { code, constraint, message } = error as Partial<Record<string, unknown>>
  return new StoreError(textOf(code) ?? 'connection_lost', {
    constraint: textOf(constraint),
    statement,
    reason: textOf(message),
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Messages of these classes quote values: cardinality, data, integrity, and raised exceptions. */
function quotesValues(code: string): boolean {
  return sqlState.test(code) && /^(?:2[1-3]|P0)/.test(code)
}

// Every one has a digit, and the system's own code of a broken pipe, `EPIPE`, has none.
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/

// Connection, read-only, a login or a database that is not accepted now, resources (a full disk),
// operator intervention (a shutdown), system errors.
const unavailableClasses: ReadonlySet<string> = new Set([
  ...['08', '25', '28', '3D', '53', '57', '58', 'XX'],
])
