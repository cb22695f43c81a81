/** Errors of both stores, without values. @module */

/**
 * Thrown if a statement fails. It names the violated constraint without values, because they may be personal
 * data. It has no `cause`, because messages of PostgreSQL may quote values.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  /** SQLSTATE, code of SQLite, or code of the system error if the connection was lost. */
  readonly code: string
  readonly constraint: string | undefined
  /** Name of the prepared statement, as in the log of PostgreSQL. */
  readonly statement: string | undefined
  /** Whether the store is unreachable or cannot write at the moment, so that a retry may succeed. */
  readonly unavailable: boolean

  /** @param failed - `reason` is the message of the driver or the server. It is kept if it quotes no values. */
  constructor(
    code: string,
    failed: Partial<Record<'constraint' | 'statement' | 'reason', string | undefined>> = {},
  ) {
    const { constraint, statement, reason } = failed
    const rule = [code, constraint].filter(Boolean).join(' ')
    const shown = reason !== undefined && !quotesValues(code) ? ` (${reason})` : ''
    super(`The store rejected a statement: ${rule}${shown}`)
    this.code = code
    this.constraint = constraint
    this.statement = statement
    this.unavailable = !isRequestsFault(code) || lockConflicts.has(code)
  }
}

/** Thrown if too many requests wait for the store. The response is 503 with `Retry-After`. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded'
  override readonly message = 'Too many requests wait for the store'
}

/** SQLSTATE of a statement that reached the lock timeout. */
export const lockNotAvailable = '55P03'

/** SQLSTATE of a write to a server that is read-only or in recovery. */
export const readOnly = '25006'

/** SQLSTATE of a commit whose result is unknown: the primary has it, and the synchronous standby may lack it. */
export const unknownResult = '08007'

/** SQLSTATEs of a lock timeout, a deadlock, and a serialization failure. */
const lockConflicts: ReadonlySet<string> = new Set([lockNotAvailable, '40P01', '40001'])

/** Returns whether an environment was deleted before the row that needs it was written. */
export function hasNoEnvironment(error: unknown): boolean {
  return error instanceof StoreError && foreignKeys.has(error.code)
}

const foreignKeys: ReadonlySet<string> = new Set(['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY'])

/** Returns whether a statement failed because of another transaction. It can be sent again. */
export function isLockConflict(error: unknown): boolean {
  return error instanceof StoreError && lockConflicts.has(error.code)
}

/** Whether the connection is of no more use. After a failover, another one reaches the new primary. */
export function endsConnection(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false
  return !sqlState.test(error.code) || error.code === readOnly
}

/** Makes an error of the driver or the server one that shows no values. */
export function storeError(error: unknown, statement?: string): StoreError {
  if (error instanceof StoreError) return error
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

/** Returns whether messages quote values: cardinality, data, integrity, and raised exceptions. */
function quotesValues(code: string): boolean {
  return sqlState.test(code) && /^(?:2[1-3]|P0)/.test(code)
}

/** Returns whether the statement or its values are wrong, and the store works. */
function isRequestsFault(code: string): boolean {
  if (code.startsWith('SQLITE')) return /^SQLITE_(?:CONSTRAINT|ERROR|MISMATCH|TOOBIG)/.test(code)
  return sqlState.test(code) && !unavailableClasses.has(code.slice(0, 2))
}

// A SQLSTATE contains a digit, which distinguishes it from the system error `EPIPE`.
const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/

// SQLSTATE classes of connection errors, read-only transactions, rejected logins, unknown databases and
// schemas, resources (a full disk), operator intervention (a shutdown), and system errors.
const unavailableClasses: ReadonlySet<string> = new Set('08 25 28 3D 3F 53 57 58 XX'.split(' '))
