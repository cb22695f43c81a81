/** The shared store: a PostgreSQL server. @module */
import pg from 'pg'
import { SettingError } from '../explained-error.ts'
import { shareChanges } from '../waiting/share-changes.ts'
import { type Database, openPool, sessionSettings } from './database.ts'
import { readOnly, StoreError, storeError } from './errors.ts'
import { assertOwnSessions } from './pooler.ts'

/** Connections of the pool, and timeouts in milliseconds. */
export const postgresLimits = { pool: 10, statement: 10_000, response: 12_000 } as const

const serverSettings = {
  ...sessionSettings,
  // In milliseconds. A duplicate waits two seconds for the first request. An unresponsive instance with a lock is
  // disconnected after ten seconds, so that it does not block others.
  lock_timeout: '2000',
  statement_timeout: String(postgresLimits.statement),
  idle_in_transaction_session_timeout: '10000',
} as const

// For an unresponsive server, for example behind a network that drops packets. Longer than
// `statement_timeout`, so that a responsive server returns the error.
const clientTimeouts = {
  query_timeout: postgresLimits.response,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}

/** @throws {SettingError} If the URL, the server, or a pooler is not supported, with the fix. */
export async function openPostgres(url: string): Promise<Database> {
  assertOneHost(url)
  const connection = { connectionString: url, connectionTimeoutMillis: 5000, ...clientTimeouts }
  const database = openPool(
    {
      ...connection,
      max: postgresLimits.pool,
      // Keep idle connections, because a shop with few orders would reconnect for each.
      idleTimeoutMillis: 0,
      prepare: createPrepare(),
    },
    'postgres',
  )
  try {
    const [server] = await database.query<ServerFacts>`
      select current_setting('server_version_num')::int as version,
             current_setting('server_encoding') as encoding, current_schema() as schema`
    if (server === undefined) throw new StoreError('connection_lost')
    if (server.version < 150000) {
      throw new SettingError(
        'PI_DATABASE_URL: the PostgreSQL server must have version 15 or later.',
      )
    }
    if (server.encoding !== 'UTF8') {
      throw new SettingError(
        'PI_DATABASE_URL: the encoding of the database must be UTF8. Create one with `createdb --encoding=UTF8 --template=template0`.',
      )
    }
    if (server.schema === null) {
      throw new SettingError(
        'PI_DATABASE_URL: the search_path of the role leads to no schema. Create one, or set another search_path.',
      )
    }
    const connect = (): pg.Client => new pg.Client(connection)
    await assertOwnSessions(connect)
    return shareChanges(database, connect)
  } catch (error) {
    await database.close()
    throw error
  }
}

interface ServerFacts {
  readonly version: number
  readonly encoding: string
  readonly schema: string | null
}

/**
 * Returns the function that prepares a connection. The settings are set here, and not in the startup message, because
 * a pooler may drop them there without an error.
 */
function createPrepare(): (client: pg.PoolClient) => Promise<void> {
  const settings = Object.entries(serverSettings)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(', ')
  const text = `select pg_is_in_recovery() as standby, current_schema() as schema, ${settings}`
  let first: string | null | undefined
  return async (client) => {
    const { rows } = await client.query(text).catch((error: unknown) => {
      throw storeError(error)
    })
    const { standby, schema } = rows[0] as { standby: boolean; schema: string | null }
    if (standby) throw new StoreError(readOnly, { reason: 'the server is a standby' })
    if (first === undefined) first = schema
    // This connection would not find the tables, or find others.
    if (schema !== first) {
      throw new StoreError('3F000', {
        reason: `the search_path leads to ${schema}, and before to ${first}`,
      })
    }
  }
}

/** @throws {SettingError} If the URL names several hosts, of which `pg` would use none. */
function assertOneHost(url: string): void {
  const [address = '', parameters = ''] = url.split('?')
  const authority = address.split('/')[2] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const hosts = [host, ...new URLSearchParams(parameters).getAll('host')]
  if (!hosts.some((each) => each.includes(','))) return
  throw new SettingError(
    'PI_DATABASE_URL: must name one host. Use an address that always leads to the primary, such as that of a proxy or a virtual IP; the service never uses a standby, like target_session_attrs=read-write.',
  )
}
