/** Checks of a pooler, such as PgBouncer, between the service and PostgreSQL. @module */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { SettingError } from '../explained-error.ts'
import { storeError } from './errors.ts'

/** @throws {SettingError} If connections share sessions, in which settings, prepared statements, and LISTEN get lost. */
export async function assertOwnSessions(connect: () => pg.Client): Promise<void> {
  const clients = [connect(), connect()] as const
  for (const client of clients) client.on('error', () => {})
  try {
    for (const client of clients) await client.connect()
    if (await haveOwnSessions(clients)) return
  } catch (error) {
    throw storeError(error)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
  throw new SettingError(
    'PI_DATABASE_URL: the pooler gives a connection no separate session, as PgBouncer with pool_mode = transaction or statement. Use pool_mode = session, or connect without a pooler.',
  )
}

async function haveOwnSessions([one, other]: readonly [pg.Client, pg.Client]): Promise<boolean> {
  const token = randomUUID()
  const read = async (client: pg.Client): Promise<boolean> => {
    const sql = "select current_setting('pi_checkout.session', true) as value"
    return (await client.query(sql)).rows[0]?.value === token
  }
  await one.query("select set_config('pi_checkout.session', $1, false)", [token])
  if (await read(other)) return false
  // Occupies a session, so that a pooler may continue the first client in another one.
  await other.query('begin')
  return await read(one)
}
