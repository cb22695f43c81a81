import pg from 'pg'
import { expect, test } from 'vitest'
import { createIntentStore } from '../../src/intents/store.ts'
import { openPool } from '../../src/store/postgres.ts'
import { shareChanges } from '../../src/store/receive.ts'
import { atEnd, connectTo, startPostgres } from '../support/lifetime.ts'
import { startTestService } from '../support/service.ts'
import { hashes, newIntent } from '../support/store.ts'

const server = await startPostgres()
const service = await startTestService(server.env)
const admin = await connectTo(server.url)
const { environmentId } = service
const config = { connectionString: server.url, query_timeout: 500, max: 4 }
const db = shareChanges(openPool(config), () => new pg.Client(config))
atEnd(() => db.close())
const store = createIntentStore({ db, now: () => new Date() })
const newDraft = (key: number) => ({ intent: newIntent({ environmentId }), key: hashes(key) })

const ready = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status

async function set(name: string, value: string): Promise<void> {
  await admin.query('set synchronous_commit = local')
  await admin.query(`alter system set ${name} = '${value}'`)
  await admin.query('select pg_reload_conf(), pg_sleep(0.2)')
}

/** Ends the commits that wait for the standby, as an operator or a restart does. */
async function end(how: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> {
  const ending = `select ${how}(pid) from pg_stat_activity
    where wait_event = 'SyncRep' and query like '%insert into intents%'`
  await expect.poll(async () => (await admin.query(ending)).rowCount).toBeGreaterThan(0)
}

test('reports nothing that the synchronous standby lacks', async () => {
  await set('synchronous_standby_names', 'missing')
  for (const [index, how] of (['pg_cancel_backend', 'pg_terminate_backend'] as const).entries()) {
    const [draft, again] = [newDraft(index), newDraft(index)]
    const create = store.create(draft)
    create.catch(() => {})
    await end(how)
    await expect(create).rejects.toMatchObject({ unavailable: true })
    const { rowCount } = await admin.query('select from intents where id = $1', [draft.intent.id])
    expect(rowCount, 'the primary shows the intent').toBe(1)
    await expect(store.create(again)).rejects.toMatchObject({ unavailable: true })
    await expect(store.find(draft.intent.id)).rejects.toMatchObject({ unavailable: true })
  }
  expect(await ready()).toBe(503)

  await set('synchronous_standby_names', '')
  expect(await store.create(newDraft(0))).toMatchObject({ type: 'replayed' })
  await expect.poll(ready).toBe(200)
})

test('publishes without waiting for a missing synchronous standby', async () => {
  const receiver = shareChanges(openPool(config), () => new pg.Client(config))
  atEnd(() => receiver.close())
  const named: unknown[] = []
  receiver.listen((change) => named.push(change))
  const published = (intentId: string) => () => {
    db.notify({ intentId })
    return named
  }
  await expect.poll(published('pi_1')).toContainEqual({ intentId: 'pi_1' })
  await set('synchronous_standby_names', 'missing')
  db.notify({ intentId: 'pi_2' })
  await expect.poll(() => named).toContainEqual({ intentId: 'pi_2' })
  await set('synchronous_standby_names', '')
})

test('is not ready while an operator has made the server read-only', async () => {
  await set('default_transaction_read_only', 'on')
  await expect.poll(ready).toBe(503)
  await admin.query('set default_transaction_read_only = off')
  await set('default_transaction_read_only', 'off')
  await expect.poll(ready).toBe(200)
})
