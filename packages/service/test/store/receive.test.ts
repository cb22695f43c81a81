import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import type { Change, Database } from '../../src/store/database.ts'
import { openPool, openPostgres } from '../../src/store/postgres.ts'
import { shareChanges } from '../../src/store/receive.ts'
import { atEnd, connectTo, startPostgres } from '../support/lifetime.ts'

const server = await startPostgres()
const [sender, receiver] = [await open(), await open()]
const named: string[] = []
receiver.listen((change: Change) => change !== 'environments' && named.push(change.intentId))

beforeAll(async () => {
  await vi.waitUntil(() => {
    sender.notify({ intentId: 'probe' })
    return named.length > 0
  })
})

async function open(): Promise<Database> {
  const db = await openPostgres(server.url)
  const close = atEnd(() => db.close())
  return { ...db, close }
}

test('reports thousands of changes of a program that ends at once', async () => {
  const ending = await open()
  const expected = Array.from({ length: 3000 }, (_, at) => `pi_${String(at).padStart(24, '0')}`)
  for (const intentId of expected) ending.notify({ intentId })
  await ending.close()
  await expect.poll(() => named.filter((id) => id !== 'probe')).toEqual(expected)
})

test('publishes without waiting for a missing synchronous standby', async () => {
  const admin = await connectTo(server.url)
  await admin.query("alter system set synchronous_standby_names = 'missing'")
  await admin.query('select pg_reload_conf()')
  const shown = async () => (await admin.query('show synchronous_standby_names')).rows[0]
  await expect.poll(shown).toEqual({ synchronous_standby_names: 'missing' })
  sender.notify({ intentId: 'pi_2' })
  await expect.poll(() => named).toContain('pi_2')
})

test('says that changes may be missing, if it could not publish them', async () => {
  const pool = openPool({ connectionString: server.url })
  const cut = vi.spyOn(pool, 'query').mockRejectedValueOnce(new Error('no connection'))
  const failing = shareChanges(pool, () => new pg.Client(server.url))
  atEnd(() => failing.close())
  const changes: Change[] = []
  receiver.listen((change) => changes.push(change))
  failing.notify({ intentId: 'pi_4' })
  await expect.poll(() => changes).toContain('environments')
  expect(cut).toHaveBeenCalled()
})
