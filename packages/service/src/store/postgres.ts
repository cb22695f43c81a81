/** The shared store: a PostgreSQL server. @module */
import pg from 'pg'
import { assertServer } from './assert-server.ts'
import type { Database, Pool } from './database.ts'
import { endsConnection, readOnly, StoreError, storeError, unknownResult } from './errors.ts'
import { shareChanges } from './receive.ts'
import { type SetForm, setForms, textOf } from './sets.ts'
import type { Statement } from './sql.ts'
import { together } from './together.ts'

const sessionSettings = {
  default_transaction_isolation: 'read committed',
  // A plan is kept while the tables grow, so it must not read a whole table because that was small.
  enable_seqscan: 'off',
  jit: 'off',
  // In milliseconds. A duplicate waits two seconds for the first request. An unresponsive instance with a lock is
  // disconnected after ten seconds, so that it does not block others.
  lock_timeout: '2000',
  statement_timeout: '10000',
  idle_in_transaction_session_timeout: '10000',
} as const

// For an unresponsive server, for example behind a network that drops packets. Longer than
// `statement_timeout`, so that a responsive server returns the error.
const clientTimeouts = {
  connectionTimeoutMillis: 5000,
  query_timeout: 12_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}

/** @throws {SettingError} If the server is not supported, with the fix. */
export async function openPostgres(url: string): Promise<Database> {
  const connection = { connectionString: url, ...clientTimeouts }
  const connect = (): pg.Client => new pg.Client(connection)
  await assertServer(connect())
  return shareChanges(openPool(connection), connect)
}

/** @param config - Tests use shorter timeouts. */
export function openPool(config: pg.PoolConfig): Pool {
  let pool = newPool(config)

  /** Gives up all connections, because the network may have lost each of them without a notice. */
  function renew(lost: pg.Pool): void {
    if (lost !== pool) return
    pool = newPool(config)
    void lost.end()
  }

  async function borrow<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const lender = pool
    const client = await lender.connect().catch((error: unknown) => {
      throw storeError(error)
    })
    let broken = false
    try {
      return await work(client)
    } catch (error) {
      broken = endsConnection(error)
      if (broken) renew(lender)
      // Outside a transaction PostgreSQL ignores this with a notice.
      else await client.query('rollback').catch(() => (broken = true))
      throw error
    } finally {
      client.release(broken)
    }
  }

  const shared = new Map(
    [...setForms].map(([name, form]) => {
      const run = async (set: readonly Statement[]) =>
        await borrow(async (client) => await runSet(client, form, set))
      return [name, together({ run, ...form.sharing })] as const
    }),
  )

  return {
    query: async <Row>(statement: Statement) => {
      const share = shared.get(statement.name)
      const alone = async (client: pg.PoolClient) => await run(client, statement)
      // The caller names the columns, and the statement lists them.
      return (await (share ? share(statement) : borrow(alone))) as Row[]
    },
    script: async (text) =>
      await borrow(async (client) => {
        const script = `begin; set local lock_timeout = 0; set local statement_timeout = 0;
          select pg_advisory_xact_lock(${scriptLock});\n${text}; commit`
        // No timeout, because another instance may take long. The types of `pg` lack this option.
        const statement = { text: script, query_timeout: 2 ** 31 - 1 }
        await send(client, statement)
      }),
    probe: async () =>
      await borrow(async (client) => {
        const text = `select current_setting('transaction_read_only') as "readOnly",
                             pg_logical_emit_message(true, 'pi-checkout', 'ready')`
        const [row] = await send(client, { text })
        const { readOnly: state } = row as { readonly readOnly: string }
        if (state !== 'off') throw new StoreError(readOnly)
      }),
    close: async () => await pool.end(),
  }
}

// Starts with 'pi', because all programs that use a database share its advisory locks.
const scriptLock = 0x70690001

function newPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    max: 12,
    // Keep idle connections, because a shop with few orders would reconnect for each.
    idleTimeoutMillis: 0,
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
  return pool
}

/** Sets the session here, and not in the startup message, because a pooler may drop it there without an error. */
async function prepare(client: pg.PoolClient): Promise<void> {
  const settings = Object.entries(sessionSettings)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(', ')
  const text = `select pg_is_in_recovery() as standby, ${settings}`
  const { rows } = await client.query(text).catch((error: unknown) => {
    throw storeError(error)
  })
  const [{ standby }] = rows as [{ readonly standby: boolean }]
  if (standby) throw new StoreError(readOnly, { reason: 'the server is a standby' })
}

/**
 * Connections whose last commit stopped waiting for the synchronous standby, for example because of the statement
 * timeout. PostgreSQL reports such a commit as a success with a warning.
 */
const unreplicated = new WeakSet<pg.ClientBase>()

async function send(client: pg.PoolClient, statement: pg.QueryConfig): Promise<unknown[]> {
  unreplicated.delete(client)
  try {
    const { rows } = await client.query(statement)
    if (unreplicated.has(client)) throw new StoreError(unknownResult)
    return rows
  } catch (error) {
    throw storeError(error, statement.name)
  }
}

async function run(client: pg.PoolClient, statement: Statement): Promise<unknown[]> {
  const { name, values } = statement
  return await send(client, { name, text: textOf(statement), values: [...values] })
}

/** Returns the rows of each statement. */
async function runSet(
  client: pg.PoolClient,
  form: SetForm,
  set: readonly Statement[],
): Promise<readonly unknown[][]> {
  const [only] = set
  if (only && set.length === 1) return [await run(client, only)]
  const { name, text, values } = form.of(set)
  const rows = new Map<unknown, unknown[]>()
  for (const row of await send(client, { name, text, values: [...values] })) {
    const { setKey } = row as { readonly setKey: unknown }
    rows.set(setKey, [...(rows.get(setKey) ?? []), row])
  }
  return set.map((statement) => rows.get(form.keyOf(statement)) ?? [])
}

/** Returns integers as numbers: all columns have safe ones. */
const codec = new pg.TypeOverrides()
codec.setTypeParser(pg.types.builtins.INT8, Number)
