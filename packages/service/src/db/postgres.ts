/**
 * The shared store: a PostgreSQL server, for any number of instances.
 *
 * @module
 */
import { type Database, openPool, StoreError, sessionSettings } from './database.ts'

// In milliseconds. A duplicate waits two seconds for the first request; a frozen instance that holds
// a lock is cut off, so that it stops nobody for long.
const patience = {
  lock_timeout: 2000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
}

/**
 * Opens a PostgreSQL database.
 *
 * @param url `postgres://user:password@host:port/database`
 * @throws {StoreError} It cannot be reached.
 * @throws {TypeError} It is older than 15.
 */
export async function openPostgres(url: string): Promise<Database> {
  const database = openPool(
    {
      connectionString: url,
      max: 10,
      // A shop with an order a minute would connect and prepare anew for each.
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      options: Object.entries({ ...sessionSettings, ...patience })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    },
    'postgres',
  )
  try {
    const [server] = await database.query<{ version: number }>`
      select current_setting('server_version_num')::int as version`
    if (server === undefined) throw new StoreError('connection_lost')
    if (server.version < 150000) {
      throw new TypeError('PI_DATABASE_URL: must name a PostgreSQL server of version 15 or newer')
    }
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
