/**
 * The shared store: a PostgreSQL server.
 *
 * @module
 */
import { type Database, openPool, sessionSettings } from './database.ts'
import { StoreError } from './errors.ts'

// In milliseconds. A duplicate waits two seconds for the first request. An unresponsive instance with a lock is
// disconnected after ten seconds, so that it does not block others.
const timeouts = {
  lock_timeout: 2000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
}

// For an unresponsive server, for example behind a network that drops packets. Longer than
// `statement_timeout`, so that a responsive server returns the error.
const clientTimeouts = {
  query_timeout: 12_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}

/**
 * Opens a PostgreSQL database.
 *
 * @param url - `postgres://user:password@host:port/database`
 * @throws {StoreError} If the server is unreachable.
 * @throws {TypeError} If the server is older than version 15, or the encoding is not UTF-8.
 */
export async function openPostgres(url: string): Promise<Database> {
  const { connectionString, options } = withOptions(url)
  const database = openPool(
    {
      connectionString,
      max: 10,
      // Keep idle connections, because a shop with few orders would reconnect for each.
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: 5000,
      ...clientTimeouts,
      options,
    },
    'postgres',
  )
  try {
    const [server] = await database.query<{ version: number; encoding: string }>`
      select current_setting('server_version_num')::int as version,
             current_setting('server_encoding') as encoding`
    if (server === undefined) throw new StoreError('connection_lost')
    if (server.version < 150000) {
      throw new TypeError('PI_DATABASE_URL: the PostgreSQL server must have version 15 or later.')
    }
    if (server.encoding !== 'UTF8') {
      throw new TypeError(
        'PI_DATABASE_URL: the encoding of the database must be UTF8. Create one with `createdb --encoding=UTF8 --template=template0`.',
      )
    }
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Adds the service's settings after the options in the URL, because the last value of a setting is used. `pg`
 * alone would use only the options in the URL.
 */
function withOptions(url: string): { readonly connectionString: string; readonly options: string } {
  // Not parsed with `URL`, which rejects an address whose host is in a parameter.
  const [address, ...rest] = url.split('?')
  const parameters = new URLSearchParams(rest.join('?'))
  const inUrl = parameters.getAll('options')
  parameters.delete('options')
  const settings = Object.entries({ ...sessionSettings, ...timeouts }).map(
    ([name, value]) => `-c ${name}=${value}`,
  )
  const options = [...inUrl, ...settings].join(' ')
  return { connectionString: `${address}?${parameters}`, options }
}
