/**
 * The shared store: a PostgreSQL server, for any number of instances.
 *
 * @module
 */
import { type Database, openPool, sessionSettings } from './database.ts'
import { StoreError } from './errors.ts'

// In milliseconds. A duplicate waits two seconds for the first request. A frozen instance that holds a
// lock is cut off, so that it does not block others for long.
const timeouts = {
  lock_timeout: 2000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
}

// For an unresponsive server, for example behind a network that drops packets: it cannot end its own
// statement. Longer than `statement_timeout`, so that a running server reports the error itself.
const clientTimeouts = {
  query_timeout: 12_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}

/**
 * Opens a PostgreSQL database.
 *
 * @param url `postgres://user:password@host:port/database`
 * @throws {StoreError} If it cannot be reached.
 * @throws {TypeError} If it is older than 15, or its encoding is not UTF-8.
 */
export async function openPostgres(url: string): Promise<Database> {
  const { connectionString, options } = withOptions(url)
  const database = openPool(
    {
      connectionString,
      max: 10,
      // A shop with an order a minute would connect and prepare anew for each.
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
      throw new TypeError('PI_DATABASE_URL: must name a PostgreSQL server of version 15 or newer')
    }
    if (server.encoding !== 'UTF8') {
      throw new TypeError(
        'PI_DATABASE_URL: must name a database that is encoded in UTF8; create one with `createdb --encoding=UTF8 --template=template0`',
      )
    }
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * Adds the service's settings to the options in the URL. They come last, because the last one counts: times
 * are read as UTC. `pg` would use only those of the URL.
 */
function withOptions(url: string): { readonly connectionString: string; readonly options: string } {
  // Not as a URL: one that names its host in a parameter has none.
  const [address, ...rest] = url.split('?')
  const parameters = new URLSearchParams(rest.join('?'))
  const given = parameters.getAll('options')
  parameters.delete('options')
  const own = Object.entries({ ...sessionSettings, ...timeouts }).map(
    ([name, value]) => `-c ${name}=${value}`,
  )
  return { connectionString: `${address}?${parameters}`, options: [...given, ...own].join(' ') }
}
