import { expect, test } from 'vitest'
import type { Queryable } from '../../src/db/database.ts'
import { StoreError } from '../../src/db/errors.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createBatch, type NewIntent } from '../../src/intents/create-batch.ts'
import { findBatch } from '../../src/intents/find-batch.ts'
import {
  applyCauses,
  findIntent,
  moveIntent,
  type StoredIntent,
} from '../../src/intents/intents.ts'
import { type Cause, decide } from '../../src/intents/lifecycle.ts'
import { hashes, newIntent, observed, openTestStore } from '../support/store.ts'

const db = await openTestStore()
const create = createBatch(db)
const find = findBatch(db)

const at = new Date('2026-11-20T12:00:00.000Z')
const after = (hours: number): Date => new Date(at.getTime() + hours * 3600_000)
const card = {
  type: 'card',
  card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' },
}
const confirmed: Cause = { type: 'confirmed', paymentMethod: card }

function draft(key: number, changes: Partial<NewIntent> = {}): NewIntent {
  return newIntent({ createdAt: at, idempotency: hashes(key), ...changes })
}

const keyOf = ({ id, environmentId }: NewIntent) => ({ id, environmentId })

/** Creates an intent and moves it. */
async function moved(drafted: NewIntent, ...causes: readonly Cause[]): Promise<StoredIntent> {
  await create(drafted)
  const applied = await applyCauses(db, await read(drafted), { causes, at })
  if ('rejection' in applied) throw new Error(applied.rejection)
  return await read(drafted)
}

async function read(drafted: NewIntent, now = at): Promise<StoredIntent> {
  const intent = await findIntent(db, keyOf(drafted), now)
  if (!intent) throw new Error('missing')
  return intent
}

test('rolls back a transaction in which a later cause is rejected', async () => {
  const drafted = draft(70)
  const intent = await moved(drafted)
  const causes = [confirmed, { type: 'challenge_passed' }] as const
  await expect(
    db.transaction(async (tx) => await applyCauses(tx, intent, { causes, at })),
  ).rejects.toThrow('challenge_passed was rejected')
  expect(await read(drafted)).toEqual(intent)
})

test('migrates a migrated store to itself', async () => {
  const before = await db.query`select * from migrations`
  await migrate(db)
  expect(await db.query`select * from migrations`).toEqual(before)
})

test('reads few rows with statements that were planned in an empty store', async () => {
  const first = draft(20)
  const readAll = async (tx: Queryable): Promise<void> => {
    await createBatch({ ...db, ...tx })(draft(20))
    await findBatch({ ...db, ...tx })(keyOf(first))
    await findIntent(tx, keyOf(first), at)
  }
  await create(first)
  await readAll(db)
  await db.query`
    insert into payment_intents (
      id, environment_id, amount, currency, order_id, secret_kid, idempotency_hash,
      idempotency_fingerprint, idempotency_expires_at, expires_at, created_at, updated_at)
    select 'pi_' || n, 'env_test', 1, 'AMD', 'A-1', 'k1', sha256(n::text::bytea), sha256(''),
           ${at}, ${after(1)}, ${at}, ${at}
      from generate_series(1, 1000) n`
  const rows = await db.transaction(async (tx) => {
    await readAll(tx)
    const [count] = await tx.query<{ rows: number }>`
      select seq_tup_read + idx_tup_fetch as rows
        from pg_stat_xact_user_tables where relname = 'payment_intents'`
    return count?.rows
  })
  await db.query`delete from payment_intents where amount = 1`
  expect(rows).toBeLessThan(100)
})

test('creates one intent from fifty drafts with one key (threat 20)', async () => {
  const drafts = Array.from({ length: 50 }, () => draft(1))
  const results = await Promise.all(drafts.map(create))
  const winner = drafts[results.findIndex(({ type }) => type === 'created')]
  const replays = results.flatMap((result) => (result.type === 'replayed' ? [result.created] : []))
  expect(replays).toHaveLength(49)
  for (const replay of replays) {
    expect(replay).toMatchObject({
      ...{ id: winner?.id, secretSalt: winner?.secretSalt, body: winner?.body, createdAt: at },
    })
  }
})

test('fails only the bad row of a batch', async () => {
  const bad = draft(4, { environmentId: 'env_missing' })
  const results = await Promise.allSettled([create(draft(5)), create(bad), create(draft(6))])
  expect(results).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: '23503' } },
    { status: 'fulfilled' },
  ])
})

for (const [key, code] of [
  [21, '08006'],
  [22, '42501'],
] as const) {
  test(`keeps what it created if reading a duplicate fails with ${code}`, async () => {
    await create(draft(20))
    const broken = observed(db, (text) => {
      if (text.includes('join payment_intents')) throw new StoreError(code)
    })
    const drafts = [newIntent(), draft(key), draft(20)]
    expect(await Promise.allSettled(drafts.map(createBatch(broken)))).toEqual([
      { status: 'fulfilled', value: { type: 'created' } },
      { status: 'fulfilled', value: { type: 'created' } },
      { status: 'rejected', reason: expect.objectContaining({ code }) },
    ])
    const ids = drafts.map(({ id }) => id)
    expect(await db.query`select from payment_intents where id = any(${ids})`).toHaveLength(2)
  })
}

test('applies one of two moves from the same version', async () => {
  const intent = await moved(draft(7))
  const next = decide(intent, confirmed, at)
  if ('rejection' in next) throw new Error(next.rejection)
  const moves = await Promise.all([moveIntent(db, intent, next), moveIntent(db, intent, next)])
  expect(moves.map((move) => move?.version)).toEqual([2, undefined])
  expect(moves[0]).toMatchObject({ status: 'processing', paymentMethod: card, confirms: 1 })
})

test('reads the same intent alone and in a batch, in every state', async () => {
  const settlement = { at: after(1), providerPaymentId: 'pay_2' }
  const failure = { code: 'card_declined', declineCode: 'lost_card', message: 'Lost "card"' }
  const body = {
    ...newIntent().body,
    customer: { id: 'c_1', name: 'Ani \u0540' },
    metadata: { z: '1', a: '2' },
  }
  const paths: readonly (readonly Cause[])[] = [
    [],
    [{ ...confirmed, challenge: 'redirect' }],
    [{ ...confirmed, settlement }],
    [confirmed, { type: 'authorised', providerPaymentId: 'pay_1' }],
    [confirmed, { type: 'declined', failure, hard: false }],
    [confirmed, { type: 'declined', failure, hard: true }],
  ]
  const alone = await Promise.all([
    moved(newIntent({ createdAt: at })),
    ...paths.map((causes) => moved(newIntent({ createdAt: at, body }), ...causes)),
  ])
  const together = await Promise.all(alone.map(find))
  expect(together).toEqual(alone.map(({ secretKid, secretSalt, ...rest }) => rest))
})

test('fails only the unreadable intent of a batch', async () => {
  const [unreadable, readable] = [draft(40), draft(41)]
  await Promise.all([create(unreadable), create(readable)])
  await db.query`update payment_intents set order_id = ${'A\x1f1'} where id = ${unreadable.id}`
  const results = await Promise.allSettled([unreadable, readable].map(keyOf).map(find))
  expect(results).toMatchObject([
    { status: 'rejected' },
    { status: 'fulfilled', value: { id: readable.id } },
  ])
  await db.query`delete from payment_intents where id = ${unreadable.id}`
})

test('writes every step that time has taken when it reads past deadlines', async () => {
  const late = draft(8)
  await moved(late, { ...confirmed, challenge: 'challenge' })
  expect(await read(late, after(25))).toMatchObject({
    status: 'expired',
    version: 4,
    lastPaymentFailure: { declineCode: 'authentication_timed_out', retryable: true },
    finalizedAt: after(24),
  })
  const events = await db.query<{ cause: string }>`
    select cause from intent_events where intent_id = ${late.id} order by version`
  expect(events.map(({ cause }) => cause)).toEqual(['confirmed', 'challenge_timed_out', 'expired'])
})

test('stores no invalid state', async () => {
  const { id } = await moved(draft(9))
  await expect(db.query`
    update payment_intents set status = 'succeeded' where id = ${id}`).rejects.toMatchObject({
    code: '23514',
  })
})
