/**
 * Payments in a table of PostgreSQL or SQLite. Each statement returns one column, `record`, with text, so no client of a
 * database can rename or convert a part of it.
 *
 * @module
 */
import { ConfigurationError } from '../client/errors.ts'
import type { Awaitable, PaymentStore } from './payment-record.ts'
import { kindOf } from './record-text.ts'

/** A database that `sqlPayments()` supports. */
export type SqlDialect = 'postgres' | 'sqlite'

/** Runs one statement with its values in order, and returns the rows as objects or arrays. */
export type SqlQuery = (sql: string, values: (string | number)[]) => Awaitable<unknown>

const timeTypes = { postgres: 'timestamptz', sqlite: 'text' }

/**
 * The statements that create the table of `sqlPayments()`. Run them in a migration.
 *
 * @example
 * await pool.query(sqlPaymentsTable.postgres)
 */
export const sqlPaymentsTable: Readonly<Record<SqlDialect, string>> = {
  postgres: tableOf('postgres'),
  sqlite: tableOf('sqlite'),
}

/**
 * Returns a store in the table `checkout_payments`: see `sqlPaymentsTable`. Each save is one statement.
 *
 * @param query - Runs a statement on the primary database, not on a replica.
 * @param options - `dialect`: parameters are `$1` for PostgreSQL, `?` for SQLite.
 * @default dialect 'postgres'
 * @example
 * // pg
 * sqlPayments(async (sql, values) => (await pool.query(sql, values)).rows)
 * // postgres.js, where `db` is `postgres(url)`
 * sqlPayments((sql, values) => db.unsafe(sql, values))
 * // Kysely with PostgreSQL
 * sqlPayments(async (sql, values) => (await db.executeQuery(CompiledQuery.raw(sql, values))).rows)
 * // libsql, better-sqlite3, node:sqlite
 * sqlPayments((sql, values) => db.prepare(sql).all(...values), { dialect: 'sqlite' })
 * // @libsql/client
 * sqlPayments(async (sql, args) => (await db.execute({ sql, args })).rows, { dialect: 'sqlite' })
 */
export function sqlPayments(
  query: SqlQuery,
  { dialect = 'postgres' }: { readonly dialect?: SqlDialect } = {},
): PaymentStore {
  if (!Object.hasOwn(timeTypes, dialect)) {
    throw new ConfigurationError('dialect', 'must be "postgres" or "sqlite".')
  }
  const { load, insert, update, due } = statementsOf(dialect)
  const texts = async (sql: string, values: (string | number)[]): Promise<readonly string[]> => {
    // The values of each statement are in the order of its parameters, as `?` needs it.
    const form = dialect === 'sqlite' ? sql.replaceAll(/\$\d/g, '?') : sql
    const rows = await query(form, values)
    if (Array.isArray(rows)) return rows.map(textOf)
    throw new TypeError(
      `sqlPayments: the query function must return the rows as an array, such as \`rows\` of node-postgres; received ${kindOf(rows)}.`,
    )
  }
  return {
    load: async (scope, orderId) => {
      const [text] = await texts(load, [scope, orderId])
      return text
    },
    save: async ({ scope, orderId, revision, checkAt, text }) => {
      const values = [checkAt?.toISOString() ?? '', text, scope, orderId]
      const saved =
        revision === 1
          ? await texts(insert, values)
          : await texts(update, [...values, revision - 1])
      return saved.length > 0
    },
    due: async (scope, now, limit) => {
      const found = await texts(due, [now.toISOString(), scope, limit])
      return found.map((text) => text.slice('order '.length))
    },
  }
}

function tableOf(dialect: SqlDialect): string {
  return `create table if not exists checkout_payments (
  scope text not null,
  order_id text not null,
  revision integer not null,
  check_at ${timeTypes[dialect]},
  record text not null,
  primary key (scope, order_id)
);
create index if not exists checkout_payments_due on checkout_payments (scope, check_at) where check_at is not null;`
}

function statementsOf(dialect: SqlDialect) {
  // Drivers differ in how they send times, not in how they send text.
  const time = `cast(nullif(cast($1 as text), '') as ${timeTypes[dialect]})`
  return {
    load: 'select record from checkout_payments where scope = $1 and order_id = $2',
    insert: `insert into checkout_payments (check_at, record, scope, order_id, revision) values (${time}, $2, $3, $4, 1) on conflict (scope, order_id) do nothing returning record`,
    update: `update checkout_payments set check_at = ${time}, record = $2, revision = revision + 1 where scope = $3 and order_id = $4 and revision = cast($5 as integer) returning record`,
    // Some clients parse an id that is a number.
    due: `select 'order ' || order_id as record from checkout_payments where check_at <= ${time} and scope = $2 order by check_at limit cast($3 as integer)`,
  }
}

/** Returns the one value of a row, whatever the client calls its column. */
function textOf(row: unknown): string {
  const isRow = typeof row === 'object' && row !== null
  const [value, ...others] = isRow ? Object.values(row) : []
  if (typeof value === 'string' && others.length === 0) return value
  throw new TypeError(
    `sqlPayments: a row must be an object or an array with one text; received ${kindOf(isRow ? value : row)}. Turn off what your database client changes in the rows of these statements, such as a JSON parser or a transform of values.`,
  )
}
