/**
 * The one way to the store: prepared statements, transactions, and errors that show no values.
 *
 * Both stores speak PostgreSQL's protocol through `pg`, so one SQL and one code serve them. Times are
 * `Date`s, `bigint` is a number (every one of ours is a safe integer), JSON comes back parsed.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { isConnectionLost, storeError } from './errors.ts'

/** What a statement may carry. JSON goes in as text: `${JSON.stringify(customer)}::json`. */
export type SqlValue =
  | string
  | number
  | boolean
  | Date
  | Buffer
  | null
  | readonly (string | null)[]
  | readonly (Buffer | null)[]
  | readonly number[]
  | Fragment

/** Runs statements, on any connection or on that of one transaction. */
export interface Queryable {
  /**
   * Runs one statement, prepared once per place in the code: the template itself is its identity.
   *
   * @throws {StoreError} The statement failed; `code` is the SQLSTATE.
   */
  query<Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]): Promise<Row[]>
  /** Tells the listeners of this instance; in a transaction, after its commit. */
  notify(change: Change): void
}

/** An intent that has a new version. */
export interface Change {
  readonly intentId: string
  readonly version: number
}

/** The store. `query` is one autocommit statement. */
export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres'
  /**
   * Commits what `work` did, or nothing of it. Inside, use `tx` alone: the embedded store has one
   * connection, so a statement on the outer database would wait for itself.
   */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>
  /** Calls back for each committed change of this instance, until it ends. */
  listen(listener: (change: Change) => void): void
  /** Runs several statements without values in one transaction: migrations. */
  script(text: string): Promise<void>
  close(): Promise<void>
}

/** A constant piece of SQL, such as a list of columns. Never made from input. */
export class Fragment {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * What every session is set to, whichever the store.
 *
 * Every statement of a request has an index, and one plan that fits all its values: making it anew each
 * time would take longer than running it, and compiling it even more. A plan that was made while the
 * tables were small must not read them from end to end until statistics are collected. Without the
 * switches, PostgreSQL 15 does that in an empty store, and in a full one for the reaper's statements.
 */
export const sessionSettings = {
  timezone: 'UTC',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const

/** Makes the database of a pool: that of a server, or of the embedded store with one connection. */
export function openPool(config: pg.PoolConfig, kind: Database['kind']): Database {
  const pool = new pg.Pool({ ...config, types: codec })
  // An idle connection that breaks is replaced; the next statement reports it if it persists.
  pool.on('error', () => {})
  // One that breaks while it is borrowed fails its statement; without a listener, it fails the process.
  pool.on('connect', (client) => client.on('error', () => {}))

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
        // A migration of a large table, or behind that of another instance, may take any time.
        await command(client, { text: `begin;\n${text}\n;commit`, query_timeout: 2 ** 31 - 1 })
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
    broken = isConnectionLost(error)
    // Outside a transaction this is a notice and nothing else.
    if (!broken) await client.query('rollback').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
}

async function command(client: pg.PoolClient, statement: string | TimedStatement): Promise<void> {
  await client.query(statement).catch((error: unknown) => {
    throw storeError(error)
  })
}

/** What `pg` reads and its types do not name: milliseconds until the client gives up. */
interface TimedStatement extends pg.QueryConfig {
  readonly query_timeout: number
}

interface Statement {
  readonly name: string
  readonly text: string
}

const statements = new WeakMap<TemplateStringsArray, Statement>()

async function run<Row>(
  client: pg.PoolClient,
  template: TemplateStringsArray,
  values: readonly SqlValue[],
): Promise<Row[]> {
  const { name, text } = statementOf(template, values)
  const bound = values.filter((value) => !(value instanceof Fragment))
  try {
    // pg cannot know the row's shape: this is the parse boundary, and the statement names the columns.
    const { rows } = await client.query({ name, text, values: bound })
    return rows as Row[]
  } catch (error) {
    throw storeError(error, name)
  }
}

function statementOf(template: TemplateStringsArray, values: readonly SqlValue[]): Statement {
  const known = statements.get(template)
  if (known) return known
  let text = template[0] ?? ''
  let parameter = 0
  values.forEach((value, at) => {
    text += value instanceof Fragment ? value.text : `$${++parameter}`
    text += template[at + 1] ?? ''
  })
  // The same at every instance and start, so that a line of a log names one text.
  const name = `s${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
  const statement = { name, text }
  statements.set(template, statement)
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

/** Reads `2026-11-20 09:30:00.12+00`, as a session in UTC prints it. */
export function readTime(text: string): Date {
  return new Date(`${text.slice(0, 10)}T${text.slice(11, text.indexOf('+'))}Z`)
}
