/**
 * Access to the store: prepared statements, transactions, and errors without values.
 *
 * `pg` connects to both stores with the PostgreSQL protocol, so they share SQL and code. Times are read as
 * `Date`, `bigint` as a number (all columns have safe integers), and JSON is parsed.
 *
 * @module
 */
import { hash } from 'node:crypto'
import pg from 'pg'
import { endsConnection, StoreError, storeError, unknownResult } from './errors.ts'

/** Value in a statement. Pass JSON as text: `${JSON.stringify(customer)}::json`. */
export type SqlValue =
  | string
  | number
  | boolean
  | Date
  | Buffer
  | null
  | readonly (string | null)[]
  | readonly (Buffer | null)[]
  | readonly (number | null)[]
  | readonly boolean[]
  | Fragment

/** Runs statements on a free connection, or on the connection of a transaction. */
export interface Queryable {
  /** Runs a prepared statement. Each template in the code is one. @throws {StoreError} */
  query<Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]): Promise<Row[]>
  /** Notifies the listeners of all instances. In a transaction it notifies after the commit. */
  notify(change: Change): void
}

/**
 * What has changed: an intent has a new version, or its secret was revoked; or keys, origins, or clocks of environments
 * may have changed, or intents may have been deleted, or it is not known which ones have changed.
 */
export type Change = { readonly intentId: string } | 'environments'

/** The store. `query` runs an autocommit statement. */
export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres'
  /**
   * Runs `work` in a transaction. Use only `tx` in it, because the embedded store has one connection and a
   * statement on the database itself would deadlock.
   */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>
  listen(listener: (change: Change) => void): void
  /** Runs statements without values in one transaction, for migrations. */
  script(text: string): Promise<void>
  close(): Promise<void>
}

/** Constant SQL, such as a list of columns. It must not contain input. */
export class Fragment {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Settings of each session, in both stores. Times are read in UTC, and each transaction expects `read committed`.
 *
 * Each statement has one plan for all values, because planning or compiling it each time takes longer than running
 * it. A plan is kept while the tables grow. So it must not depend on the planner's estimates, which are wrong for a
 * table that was empty. Each statement leaves one plan only: it reads one table in the order of one index, and another
 * table by the key that it found. The order selects the index, also for a key. Write `left join` or a subquery for the
 * second table, because the planner can begin an inner join with either one.
 */
export const sessionSettings = {
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  default_transaction_isolation: 'read committed',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const

export interface PoolOptions extends Omit<pg.PoolConfig, 'verify'> {
  /** Prepares and checks each new connection. If it throws, the connection is closed and the statement fails. */
  readonly prepare?: (client: pg.PoolClient) => Promise<void>
}

export function openPool(
  { prepare = async () => {}, ...config }: PoolOptions,
  kind: Database['kind'],
): Database {
  const pool = new pg.Pool({
    ...config,
    types: codec,
    verify: (client, done) => void prepare(client).then(() => done(), done),
  })
  // The pool replaces a broken idle connection.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    // A broken connection fails its statement. Without a listener, its error would end the process.
    client.on('error', () => {})
    client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') unreplicated.add(client)
    })
  })

  const listeners: ((change: Change) => void)[] = []
  const notify = (change: Change): void => {
    for (const listener of listeners) listener(change)
  }

  return {
    kind,
    query: async <Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]) =>
      await borrow(pool, (client) => run<Row>(client, text, values)),
    transaction: async (work) =>
      await borrow(pool, async (client) => {
        const changes: Change[] = []
        await command(client, 'begin')
        const result = await work({
          query: async <Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]) =>
            await run<Row>(client, text, values),
          notify: (change) => void changes.push(change),
        })
        await command(client, 'commit')
        for (const change of changes) notify(change)
        return result
      }),
    notify,
    listen: (listener) => void listeners.push(listener),
    script: async (text) =>
      await borrow(pool, async (client) => {
        // No timeout, because a migration may be slow or wait for another instance. The types of `pg` lack it.
        const statement = { text: `begin;\n${text}\n;commit`, query_timeout: 2 ** 31 - 1 }
        await command(client, statement)
      }),
    close: async () => await pool.end(),
  }
}

async function borrow<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw storeError(error)
  })
  let broken = false
  try {
    return await work(client)
  } catch (error) {
    broken = endsConnection(error)
    // Outside a transaction PostgreSQL ignores this with a notice.
    if (!broken) await client.query('rollback').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}

async function command(client: pg.PoolClient, statement: string | pg.QueryConfig): Promise<void> {
  await send(client, typeof statement === 'string' ? { text: statement } : statement).catch(
    (error: unknown) => {
      throw storeError(error)
    },
  )
}

/**
 * Connections whose last commit stopped waiting for the synchronous standby, for example because of the statement
 * timeout. PostgreSQL reports such a commit as a success with a warning.
 */
const unreplicated = new WeakSet<pg.ClientBase>()

async function send(client: pg.PoolClient, statement: pg.QueryConfig): Promise<pg.QueryResult> {
  unreplicated.delete(client)
  const result = await client.query(statement)
  if (unreplicated.has(client)) throw new StoreError(unknownResult)
  return result
}

interface Statement {
  readonly name: string
  readonly text: string
}

/** Statements by their text. */
const statements = new Map<string, Statement>()

async function run<Row>(
  client: pg.PoolClient,
  template: TemplateStringsArray,
  values: readonly SqlValue[],
): Promise<Row[]> {
  const { name, text } = statementOf(template, values)
  const bound = values.filter((value) => !(value instanceof Fragment))
  try {
    // The parse boundary: the statement lists the columns, and `pg` does not know their types.
    const { rows } = await send(client, { name, text, values: bound })
    return rows as Row[]
  } catch (error) {
    throw storeError(error, name)
  }
}

/** Each combination of a template with its fragments is a statement. */
function statementOf(template: TemplateStringsArray, values: readonly SqlValue[]): Statement {
  let text = template[0] ?? ''
  let parameter = 0
  values.forEach((value, at) => {
    text += value instanceof Fragment ? value.text : `$${++parameter}`
    text += template[at + 1] ?? ''
  })
  const known = statements.get(text)
  if (known) return known
  // A hash, so that the name in a log is the same at each instance and start.
  const statement = { name: `s${hash('sha256', text).slice(0, 12)}`, text }
  statements.set(text, statement)
  return statement
}

const { builtins } = pg.types

const codec: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') => {
    if (id === builtins.INT8) return Number
    if (id === builtins.TIMESTAMPTZ) return readTime
    return format === 'binary' ? pg.types.getTypeParser(id, format) : pg.types.getTypeParser(id)
  },
}

/** Reads a time from a session in UTC, such as `2026-11-20 09:30:00.12+00`. */
function readTime(text: string): Date {
  return new Date(`${text.slice(0, 10)}T${text.slice(11, text.indexOf('+'))}Z`)
}
