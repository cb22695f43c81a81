/** Rejects a server or a pooler that the service does not support, before it is used. @module */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { SettingError } from '../explained-error.ts'
import { storeError } from './errors.ts'

/** By statements without names, because a pooler can mix up named ones. @throws {SettingError} With the fix. */
export async function assertServer(connect: () => pg.Client): Promise<void> {
  const clients = [connect(), connect()] as const
  for (const client of clients) client.on('error', () => {})
  try {
    for (const client of clients) await client.connect()
    const problem = (await serverProblem(clients[0])) ?? (await poolerProblem(clients))
    if (problem !== undefined) throw new SettingError(`PI_DATABASE_URL: ${problem}`)
  } catch (error) {
    throw error instanceof SettingError ? error : storeError(error)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

async function serverProblem(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query(`
    select current_setting('server_version_num')::int as version,
           current_setting('server_encoding') as encoding`)
  const [{ version, encoding }] = rows
  if (version < 150000) return 'the PostgreSQL server must have version 15 or later.'
  if (encoding === 'UTF8') return undefined
  return 'the encoding of the database must be UTF8. Create one with `createdb --encoding=UTF8 --template=template0`.'
}

/** Finds connections that share sessions, in which settings, prepared statements, and LISTEN get lost. */
async function poolerProblem([one, other]: readonly [pg.Client, pg.Client]): Promise<
  string | undefined
> {
  const token = randomUUID()
  const hasToken = async (client: pg.Client): Promise<boolean> => {
    const text = "select current_setting('pi_checkout.session', true) as value"
    return (await client.query(text)).rows[0]?.value === token
  }
  await one.query("select set_config('pi_checkout.session', $1, false)", [token])
  if (!(await hasToken(other))) {
    // Occupies a session, so that a pooler may continue the first client in another one.
    await other.query('begin')
    const isOwn = await hasToken(one)
    await other.query('rollback')
    if (isOwn) return undefined
  }
  return 'the pooler gives a connection no separate session, as PgBouncer with pool_mode = transaction or statement. Use pool_mode = session, or connect without a pooler.'
}
