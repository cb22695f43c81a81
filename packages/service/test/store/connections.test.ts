import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createIntentStore } from '../../src/intents/store.ts'
import { findApiKey } from '../../src/merchants/api-keys.ts'
import { openPool } from '../../src/store/postgres.ts'
import { shareChanges } from '../../src/store/receive.ts'
import { sql } from '../../src/store/sql.ts'
import { atEnd, connectTo } from '../support/lifetime.ts'
import { newIntent, openTestPostgres } from '../support/store.ts'

const { url } = await openTestPostgres()
const operator = await connectTo(url)
const limit = 500

/** Opens a store whose pool has several idle connections. */
async function openIdle() {
  const name = randomUUID()
  const config = { connectionString: url, query_timeout: limit, application_name: name }
  const db = shareChanges(openPool(config), () => new pg.Client(config))
  atEnd(() => db.close())
  await Promise.all(
    Array.from({ length: 10 }, (_, at) => db.query(sql`select ${at} + 1 as number`)),
  )
  const store = createIntentStore({ db, now: () => new Date() })
  const intent = newIntent()
  await store.create({ intent })
  /** Silences its connections, as a network that drops their packets. New ones work. */
  const lose = async (): Promise<void> => {
    const sessions = 'select pid from pg_stat_activity where application_name = $1'
    const { rows } = await operator.query<{ pid: number }>(sessions, [name])
    expect(rows.length).toBeGreaterThan(4)
    for (const { pid } of rows) {
      process.kill(pid, 'SIGSTOP')
      atEnd(() => process.kill(pid, 'SIGCONT'))
    }
  }
  return { lose, db, store, intent }
}

type Idle = Awaited<ReturnType<typeof openIdle>>

const operations: readonly [what: string, run: (idle: Idle) => Promise<unknown>][] = [
  ['a create', ({ store }) => store.create({ intent: newIntent() })],
  ['a read', ({ store, intent }) => store.find(intent.id)],
  ['a change', ({ store, intent }) => store.change(intent.id, { type: 'canceled' })],
  ['a look-up of a key', ({ db }) => findApiKey(db, 'pi_sk_test_x')],
  ['a statement without a name', ({ db }) => db.query(sql`select 1 as one`)],
  ['a readiness check', ({ db }) => db.probe()],
]

/** @see Finding S2 */
test.each(operations)('serves the request after %s that met a lost connection', async (_, run) => {
  const idle = await openIdle()
  await idle.lose()
  const begin = performance.now()
  await expect(run(idle)).rejects.toMatchObject({ unavailable: true })
  expect(performance.now() - begin).toBeLessThan(3 * limit)
  // All other connections are lost, too, and none is used.
  for (const [, next] of operations) await next(idle)
  expect(performance.now() - begin).toBeLessThan(6 * limit)
})

test('fails all requests that wait for a lost connection once, and then serves all', async () => {
  const { lose, store, intent } = await openIdle()
  await lose()
  const read = async () => await store.find(intent.id)
  const results = await Promise.allSettled(Array.from({ length: 50 }, read))
  expect(results.some(({ status }) => status === 'rejected')).toBe(true)
  for (const found of await Promise.all(Array.from({ length: 50 }, read))) {
    expect(found?.id).toBe(intent.id)
  }
})
