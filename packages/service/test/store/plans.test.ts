import { expect, test } from 'vitest'
import {
  changeIntent,
  deleteIntents,
  findByKey,
  findIntent,
  insertIntent,
  listIntents,
  releaseKey,
} from '../../src/intents/statements.ts'
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
  ['intents_pkey', findIntent(one.id), findIntent(two.id)],
  ['intents_pkey', changeIntent(one, one), changeIntent(two, two)],
  ['intents_key_hash_environment_id_key', findByKey(key)],
  ['intents_pkey', releaseKey(one.id)],
  ['intents_newest', listIntents('env_test', { createdAt: 1, id: '' })],
  ['intents_newest', deleteIntents('env_test')],
]

interface Step {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Step[]
}

/** Returns the indexes by which a plan reads intents. A bitmap reads all rows of its condition before a limit. */
function scansOf(step: Step): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index } = step
  const scan =
    type === 'Bitmap Index Scan' ? `bitmap of ${index}` : table === 'intents' && (index ?? type)
  const own = scan && type !== 'Bitmap Heap Scan' && type !== 'ModifyTable' ? [scan] : []
  return [...own, ...(step.Plans ?? []).flatMap(scansOf)]
}

let number = 0

/** Explains a statement as it is planned for all values, after it was prepared. */
async function explain(text: string): Promise<Step> {
  const name = `examined_${number++}`
  await db.query(sqlOf(`prepare ${name} as ${text}`))
  const values = [...new Set(text.match(/\$\d+/g))].map(() => 'null').join()
  const rows = await db.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Step }] }>(
    sqlOf(`explain (format json) execute ${name}${values && `(${values})`}`),
  )
  const [plan] = rows[0]?.['QUERY PLAN'] ?? []
  if (!plan) throw new Error('no plan')
  return plan.Plan
}

function sqlOf(text: string): Statement {
  return { name: '', text, values: [] }
}

async function expectIndexes(): Promise<void> {
  for (const [index, statement, other] of statements) {
    const set = other && setForms.get(statement.name)?.of([statement, other]).text
    for (const text of [textOf(statement), set].filter((each) => each !== undefined)) {
      const scans = scansOf(await explain(text)).filter((scan) => !scan.endsWith('intents_pkey'))
      expect(scans, text).toEqual(index === 'intents_pkey' ? [] : [index])
    }
  }
}

test('reads intents by their indexes, on an empty, a fresh, and a filled table', async () => {
  await migrate({ ...db, notify: () => {}, listen: () => {} })
  await db.query(sql`select set_config('plan_cache_mode', 'force_generic_plan', false)`)
  await expectIndexes()
  await db.query(insertEnvironment('env_test', 'M', 'test'))
  await db.query(insertIntent({ intent: one, key: hashes(1) }))
  await db.script('analyze')
  await expectIndexes()
  await db.script(`
    insert into intents (id, environment_id, status, amount, currency, order_id,
                         created_at, key_hash, key_fingerprint)
    select 'pi_' || n, 'env_test', 'processing', 1, 'EUR', 'A-' || n, n,
           md5(n::text), ''
      from generate_series(1, 50000) n;
    analyze`)
  await expectIndexes()
})
