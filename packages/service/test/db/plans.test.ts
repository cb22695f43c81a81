import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { sessionSettings } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'

const source = fileURLToPath(new URL('../../src/', import.meta.url))
const server = await startPostgres({ autovacuum: 'off' })
const database = await openPostgres(server.url)
await migrate(database)
await database.close()
const client = new pg.Client(server.url)
await client.connect()
for (const [name, value] of Object.entries(sessionSettings)) {
  await client.query(`set ${name} = '${value}'`)
}
atEnd(() => client.end())

test('reads large tables by an index, in an empty and in a full store', async () => {
  const statements = await readStatements()
  expect(statements.length).toBeGreaterThan(50)
  await expectIndexes(statements)
  await client.query(`
    insert into merchants values ('m', 'M', now());
    insert into environments (id, merchant_id, mode, idempotency_salt, created_at)
    values ('e0', 'm', 'test', sha256('a'), now()), ('e1', 'm', 'live', sha256('b'), now());
    insert into payment_intents (id, environment_id, amount, currency, order_id, secret_salt,
                                 secret_kid, expires_at, created_at, updated_at, idempotency_hash,
                                 idempotency_fingerprint, idempotency_expires_at)
    select 'pi_' || n, 'e' || n % 2, 1 + n % 3 / 2, 'AMD', 'A-1',
           substr(sha256(n::text::bytea), 1, 16), 'k1', now() + interval '1 day',
           now() - interval '1 s' * n, now(), sha256(n::text::bytea), sha256('b'), now()
      from generate_series(1, 50000) n;
    insert into payment_attempts (intent_id, attempt_id, state, payment_method, outcome, created_at,
                                  updated_at)
    select id, 'a', 'challenge', '{}', 'authorised', now(), now() from payment_intents;
    insert into intent_events
    select id, 2, 'confirmed', 'requires_action', now() from payment_intents;
    insert into challenges (id, intent_id, attempt_id, presentation, expires_at, created_at)
    select id, id, 'a', 'frame', now(), now() from payment_intents;
    insert into challenge_tokens select sha256(id::bytea), id from payment_intents;
    update payment_intents set status = 'canceled', finalized_at = now(), idempotency_hash = null,
           idempotency_fingerprint = null, idempotency_expires_at = null where amount = 2;
    analyze`)
  await expectIndexes(statements)
  // In order, so that a statement ends after its rows and does not read all that match.
  for (const [part, index] of [
    ["'requires_payment_method', 'requires_action', 'processing')", 'payment_intents_deadline'],
    ['order by idempotency_expires_at', 'payment_intents_key_expiry'],
    ['order by created_at limit', 'payment_intents_newest'],
    ['limit 2 offset', 'payment_intents_newest'],
    ['limit 1 offset', 'payment_intents_pkey'],
  ] as const) {
    const ordered = statements.filter((text) => text.includes(part))
    expect(ordered).not.toEqual([])
    for (const text of ordered) {
      const plan = await planOf(text)
      expect(plan).toMatch(new RegExp(`Scan (Backward )?using ${index}`))
      // An incremental sort orders the rows of one time only.
      expect(plan).not.toMatch(/(?<!Incremental )Sort {2}/)
    }
  }
}, 60_000)

/** Statements of a start and of the doctor, which search for any row. */
const readsAll = ['"holdsIntents"', 'select from payment_intents limit 1']

async function expectIndexes(statements: readonly string[]): Promise<void> {
  for (const text of statements.filter((each) => !readsAll.some((part) => each.includes(part)))) {
    const plan = await planOf(text)
    expect(plan, text).not.toMatch(/Seq Scan on (?:payment|intent|challenge)/)
    // All entries of an index. This one has the few intents that are in a payment.
    expect(plan.replace(/.*using payment_intents_running.*/, ''), text).not.toMatch(
      /Scan .*\b(?:payment|intent|challenge).*\n(?!.* Cond: )/,
    )
  }
}

async function planOf(text: string): Promise<string> {
  await client.query(`prepare examined as ${text}`)
  const values = [...new Set(text.match(/\$\d+/g))].map(() => 'null').join()
  const { rows } = await client.query(`explain execute examined${values && `(${values})`}`)
  await client.query('deallocate examined')
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

/** A template of one of these kinds, whose values have at most one pair of braces in braces. */
const templates =
  /(?:\bquery(?:<[^`]*?>)?|const (\w+) = new Fragment\(\s*)`((?:[^`$]|\$(?!\{)|\$\{(?:[^{}]|\{[^{}]*\})*\})*)`/g
const value = /\$\{((?:[^{}]|\{[^{}]*\})*)\}/g

/** Reads every prepared statement from the source, with the parameters that the driver gets. */
async function readStatements(): Promise<string[]> {
  const fragments = new Map<string, string>()
  const texts: string[] = []
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.startsWith('db/')) continue
    const code = readFileSync(source + file, 'utf8')
    const shared = /export const \w+ = new Fragment/.test(code) ? await import(source + file) : {}
    for (const [, name, text = ''] of code.matchAll(templates)) {
      if (name === undefined) texts.push(text)
      else fragments.set(name, shared[name]?.text ?? text)
    }
  }
  const fill = (text: string): string =>
    text.replace(value, (sent, name: string) => {
      const fragment = fragments.get(name.replace(/\.text$/, ''))
      return fragment === undefined ? sent : fill(fragment)
    })
  return texts.map((text) => {
    let parameters = 0
    return fill(text).replace(value, () => `$${++parameters}`)
  })
}
