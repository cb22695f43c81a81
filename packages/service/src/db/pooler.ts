/** Checks of a pooler, such as PgBouncer, between the service and PostgreSQL. @module */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { mixedStatements, storeError } from './errors.ts'

/**
 * Checks that a pooler keeps what the service needs. Without a pooler, and in session mode, all is kept. In
 * transaction mode, another connection continues in the same session: a setting must then come from the server, and
 * the pooler must carry prepared statements from one session to another.
 *
 * @returns Whether connections keep their sessions.
 * @throws {TypeError} If the pooler is not supported. The message names the fix.
 */
export async function checkPooler(
  connect: () => pg.Client,
  settings: Readonly<Record<string, string>>,
): Promise<boolean> {
  const clients = [connect(), connect()] as const
  for (const client of clients) client.on('error', () => {})
  try {
    for (const client of clients) await client.connect()
    if (!(await sharesSessions(clients))) return true
    await checkStatements(clients)
    await checkSettings(clients[0], settings)
    return false
  } catch (error) {
    throw error instanceof TypeError ? error : storeError(error)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

type Clients = readonly [pg.Client, pg.Client]

/** Returns whether a setting of one client's session shows in the session of another one. */
async function sharesSessions([one, other]: Clients): Promise<boolean> {
  const token = randomUUID()
  await one.query("select set_config('pi_checkout.session', $1, false)", [token])
  const { rows } = await other.query("select current_setting('pi_checkout.session', true) as seen")
  return rows[0]?.seen === token
}

async function checkStatements([one, other]: Clients): Promise<void> {
  const statement = { name: 'pi_checkout_probe', text: 'select 1' }
  try {
    await one.query(statement)
    // Occupies the session in which the statement was prepared.
    await other.query('begin')
    await other.query('select 1')
    await one.query(statement)
    await other.query('rollback')
  } catch (error) {
    if (!mixedStatements.has(storeError(error).code)) throw error
    throw new TypeError(
      'PI_DATABASE_URL: the pooler does not keep transactions and prepared statements. Use pool_mode = session, or PgBouncer 1.21 or later with pool_mode = transaction and max_prepared_statements above 0.',
    )
  }
}

async function checkSettings(
  client: pg.Client,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  // `reset_val` is what a new session has: from the role, the database, or the server.
  const { rows } = await client.query(
    'select name, reset_val as value, quote_ident(current_user) as role from pg_settings where name = any($1)',
    [Object.keys(settings).map((name) => canonicalNames[name] ?? name)],
  )
  const found = new Map(rows.map(({ name, value }) => [String(name).toLowerCase(), value]))
  const missing = Object.entries(settings).filter(([name, value]) => found.get(name) !== value)
  if (missing.length === 0) return
  const fix = missing.map(
    ([name, value]) => `alter role ${rows[0]?.role} set ${name} = '${value}';`,
  )
  throw new TypeError(
    `PI_DATABASE_URL: the pooler is in transaction mode, so the settings of each session must come from the role. Run, then restart the pooler: ${fix.join(' ')}`,
  )
}

/** Names that PostgreSQL spells with capital letters. */
const canonicalNames: Readonly<Record<string, string>> = {
  timezone: 'TimeZone',
  datestyle: 'DateStyle',
}
