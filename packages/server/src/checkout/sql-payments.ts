/** Payments in a table of PostgreSQL or SQLite. @module */
import { ConfigurationError } from '../client/errors.ts'
import type { Awaitable, Payment, PaymentRecord, PaymentStore } from './payment-record.ts'

/** A database that `sqlPayments()` supports. */
export type SqlDialect = 'postgres' | 'sqlite'

/** Runs one statement with its values in order, and returns the rows as objects. */
export type SqlQuery = (sql: string, values: (string | number)[]) => Awaitable<unknown>

/**
 * The statements that create the table of `sqlPayments()`. Run them in a migration.
 *
 * @example
 * await pool.query(sqlPaymentsTable.postgres)
 */
export const sqlPaymentsTable: Readonly<Record<SqlDialect, string>> = {
  postgres: tableOf({ time: 'timestamptz', json: 'jsonb' }),
  sqlite: tableOf({ time: 'text', json: 'text' }),
}

// Drivers differ in how they send times and JSON, not in how they send text.
const time = "cast(nullif(cast($1 as text), '') as timestamptz)"
const json = 'cast(cast($2 as text) as jsonb)'
const insert = 'insert into checkout_payments (check_at, payments, scope, order_id, revision)'
const isNew = 'on conflict (scope, order_id) do nothing returning revision'
const load = 'select revision, check_at, payments from checkout_payments where'
const due = 'select order_id from checkout_payments where'
const statements = {
  postgres: {
    load: `${load} scope = $1 and order_id = $2`,
    insert: `${insert} values (${time}, ${json}, $3, $4, 1) ${isNew}`,
    update: `update checkout_payments set check_at = ${time}, payments = ${json}, revision = revision + 1 where scope = $3 and order_id = $4 and revision = cast($5 as integer) returning revision`,
    due: `${due} scope = $1 and check_at <= cast(cast($2 as text) as timestamptz) order by check_at limit cast($3 as integer)`,
  },
  sqlite: {
    load: `${load} scope = ? and order_id = ?`,
    insert: `${insert} values (nullif(?, ''), ?, ?, ?, 1) ${isNew}`,
    update: `update checkout_payments set check_at = nullif(?, ''), payments = ?, revision = revision + 1 where scope = ? and order_id = ? and revision = ? returning revision`,
    due: `${due} scope = ? and check_at <= ? order by check_at limit ?`,
  },
}

/**
 * Returns a store in the table `checkout_payments`: see `sqlPaymentsTable`. Each save is one statement.
 *
 * @param query - Runs a statement on the primary database, not on a replica.
 * @param options - `dialect`: parameters are `$1` for PostgreSQL, `?` for SQLite.
 * @default dialect 'postgres'
 * @example
 * const payments = sqlPayments(async (sql, values) => (await pool.query(sql, values)).rows)
 */
export function sqlPayments(
  query: SqlQuery,
  { dialect = 'postgres' }: { readonly dialect?: SqlDialect } = {},
): PaymentStore {
  if (!Object.hasOwn(sqlPaymentsTable, dialect)) {
    throw new ConfigurationError('dialect', 'must be "postgres" or "sqlite".')
  }
  const { load, insert, update, due } = statements[dialect]
  const rows = async (sql: string, values: (string | number)[]): Promise<readonly Row[]> => {
    const found = await query(sql, values)
    if (Array.isArray(found)) return found
    throw new TypeError(
      'sqlPayments: the query function must return the rows as an array, such as `rows` of node-postgres.',
    )
  }
  return {
    load: async (scope, orderId) => {
      const [row] = await rows(load, [scope, orderId])
      return row && recordOf(row, { scope, orderId })
    },
    save: async ({ scope, orderId, revision, checkAt, payments }) => {
      const values = [checkAt?.toISOString() ?? '', JSON.stringify(payments)]
      const saved =
        revision === 1
          ? await rows(insert, [...values, scope, orderId])
          : await rows(update, [...values, scope, orderId, revision - 1])
      return saved.length === 1
    },
    due: async (scope, now, limit) =>
      (await rows(due, [scope, now.toISOString(), limit])).map((row) => String(row.order_id)),
  }
}

type Row = Readonly<Record<string, unknown>>

function tableOf({ time, json }: { readonly time: string; readonly json: string }): string {
  return `create table if not exists checkout_payments (
  scope text not null,
  order_id text not null,
  revision integer not null,
  check_at ${time},
  payments ${json} not null,
  primary key (scope, order_id)
);
create index if not exists checkout_payments_due on checkout_payments (scope, check_at) where check_at is not null;`
}

function recordOf(
  { revision, check_at: checkAt, payments }: Row,
  { scope, orderId }: Pick<PaymentRecord, 'scope' | 'orderId'>,
): PaymentRecord {
  // Some drivers parse JSON, others return its text.
  const read: unknown = typeof payments === 'string' ? JSON.parse(payments) : payments
  return {
    scope,
    orderId,
    revision: Number(revision),
    checkAt: checkAt instanceof Date || typeof checkAt === 'string' ? new Date(checkAt) : null,
    payments: read as readonly Payment[], // Only `save` writes this column.
  }
}
