import { expect, test } from 'vitest'
import * as intents from '../../src/intents/statements.ts'
import { openPool } from '../../src/store/postgres.ts'
import { migrate } from '../../src/store/schema.ts'
import { setForms, textOf } from '../../src/store/sets.ts'
import { type Statement, sql } from '../../src/store/sql.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { hashes, insertEnvironment, newIntent } from '../support/store.ts'

const server = await startPostgres({ autovacuum: 'off' })
// One connection, whose prepared statements are explained.
const db = openPool({ connectionString: server.url, max: 1 })
atEnd(() => db.close())

const [one, two] = [newIntent(), newIntent()]
const key = hashes(1).hash
const statements: readonly (readonly [index: string, Statement, Statement?])[] = [
  ['intents_pkey', intents.findIntent(one.id), intents.findIntent(two.id)],
  ['intents_pkey', intents.changeIntent(one, one), intents.changeIntent(two, two)],
  ['intents_key_hash_environment_id_key', intents.findByKey(key, 'env_test')],
  ['intents_newest', intents.listIntents('env_test', { createdAt: 1, id: '' })],
  ['intents_newest', intents.deleteIntents('env_test')],
]

/**
 * Returns the ways in which a prepared statement reads intents for all values: `using intents_pkey on intents`. A bitmap,
 * `on intents_pkey`, reads all rows of its condition before a limit.
 */
async function scansOf(text: string): Promise<string[]> {
  await db.query(sqlOf(`prepare examined as ${text}`))
  const values = [...new Set(text.match(/\$\d+/g))].map(() => 'null').join()
  const explain = sqlOf(`explain execute examined${values && `(${values})`}`)
  const plan = await db.query<{ 'QUERY PLAN': string }>(explain)
  await db.query(sqlOf('deallocate examined'))
  const lines = plan.map((line) => line['QUERY PLAN']).join('\n')
  const scans = lines.matchAll(/(?<!Heap )Scan (?:Backward )?((?:using \w+ )?on intents\w*)/g)
  return Array.from(scans, ([, scan = '']) => scan)
}

const sqlOf = (text: string): Statement => ({ name: '', text, values: [] })

async function expectIndexes(): Promise<void> {
  for (const [index, statement, other] of statements) {
    const set = other && setForms.get(statement.name)?.of([statement, other]).text
    for (const text of [textOf(statement), set].filter((each) => each !== undefined)) {
      const scans = (await scansOf(text)).filter((scan) => !scan.includes('intents_pkey'))
      expect(scans, text).toEqual(index === 'intents_pkey' ? [] : [`using ${index} on intents`])
    }
  }
}

test('reads intents by their indexes, on an empty, a fresh, and a filled table', async () => {
  await migrate({ ...db, notify: () => {}, listen: () => {} })
  await db.query(sql`select set_config('plan_cache_mode', 'force_generic_plan', false)`)
  await expectIndexes()
  await db.query(insertEnvironment('env_test', 'M', 'test'))
  await db.query(intents.insertIntent({ intent: one, key: hashes(1) }))
  await db.script('analyze')
  await expectIndexes()
  await db.script(`
    insert into intents (id, environment_id, amount, currency, order_id,
                         created_at, key_hash, key_fingerprint)
    select 'pi_' || n, 'env_test', 1, 'EUR', 'A-' || n, n,
           md5(n::text), ''
      from generate_series(1, 50000) n;
    analyze`)
  await expectIndexes()
})
