/** Rejects a server that the service does not support, before it is used. @module */
import type pg from 'pg'
import { SettingError } from '../explained-error.ts'
import { storeError } from './errors.ts'

/** @throws {SettingError} With the fix. */
export async function assertServer(client: pg.Client): Promise<void> {
  client.on('error', () => {})
  try {
    await client.connect()
    const problem = await serverProblem(client)
    if (problem !== undefined) throw new SettingError(`PI_DATABASE_URL: ${problem}`)
  } catch (error) {
    throw error instanceof SettingError ? error : storeError(error)
  } finally {
    await client.end().catch(() => {})
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
