import pg from 'pg'
import { expect, test } from 'vitest'
import type { Change, Database } from '../../src/store/database.ts'
import { openPool, openPostgres } from '../../src/store/postgres.ts'
import { shareChanges } from '../../src/store/receive.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'

const server = await startPostgres()
const sender = await open()
const newClient = (): pg.Client => new pg.Client(server.url)

async function open(): Promise<Database> {
  const db = await openPostgres(server.url)
  const close = atEnd(() => db.close())
  return { ...db, close }
}

/** Opens a database, and collects its changes from the time at which it receives those of others. */
async function openListener() {
  const db = await open()
  const changes: Change[] = []
  db.listen((change) => changes.push(change))
  await receives(changes)
  return { db, changes }
}

/** Returns once changes of others arrive, and forgets what came before. */
async function receives(changes: Change[]): Promise<void> {
  const probe = { intentId: `probe_${performance.now()}` }
  const found = async () => {
    sender.notify(probe)
    return changes
  }
  await expect.poll(found).toContainEqual(probe)
  changes.length = 0
}

/** Changes without the probes of `receives`. */
function withoutProbes(changes: readonly Change[]): Change[] {
  return changes.filter(
    (change) => change === 'environments' || !change.intentId.startsWith('probe_'),
  )
}

test('reports thousands of changes of a program that ends at once', async () => {
  const [one, two] = [await openListener(), await openListener()]
  const ending = await open()
  const expected = Array.from({ length: 3000 }, (_, at) => ({
    intentId: `pi_${String(at).padStart(24, '0')}`,
  }))
  for (const change of expected) ending.notify(change)
  await ending.close()
  // While a look at the connection takes longer than a second, anything may have changed.
  const named = (changes: Change[]) =>
    withoutProbes(changes).filter((change) => change !== 'environments')
  await expect.poll(() => named(one.changes)).toEqual(expected)
  await expect.poll(() => named(two.changes)).toEqual(expected)
})

test('publishes without waiting for a missing synchronous standby', async () => {
  const { changes } = await openListener()
  const { db } = await openListener()
  const admin = newClient()
  await admin.connect()
  const set = async (name: string): Promise<void> => {
    await admin.query(`alter system set synchronous_standby_names = '${name}'`)
    await admin.query('select pg_reload_conf()')
    await expect
      .poll(async () => (await admin.query('show synchronous_standby_names')).rows[0])
      .toEqual({ synchronous_standby_names: name })
  }
  await set('missing')
  db.notify({ intentId: 'pi_2' })
  await expect.poll(() => withoutProbes(changes)).toHaveLength(1)
  await set('')
  await admin.end()
})

test('publishes that changes may be missing, if it could not publish them', async () => {
  const { changes } = await openListener()
  const pool = openPool({ connectionString: server.url })
  let isFirst = true
  const query: Database['query'] = async (statement) => {
    if (!isFirst) return await pool.query(statement)
    isFirst = false
    throw new Error('no connection')
  }
  const failing = shareChanges({ ...pool, query }, newClient)
  atEnd(() => failing.close())
  failing.notify({ intentId: 'pi_4' })
  await expect.poll(() => withoutProbes(changes)).toEqual(['environments'])
})
