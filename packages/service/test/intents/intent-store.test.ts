import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database, Queryable, SqlValue } from '../../src/db/database.ts'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { StoreError } from '../../src/db/errors.ts'
import { migrate } from '../../src/db/migrate.ts'
import { randomBase62, randomSalt } from '../../src/ids.ts'
import { createBatch, type NewIntent } from '../../src/intents/create-batch.ts'
import { findBatch } from '../../src/intents/find-batch.ts'
import {
  findIntent,
  type IntentKey,
  moveIntent,
  type StoredIntent,
} from '../../src/intents/intents.ts'
import { type Cause, decide } from '../../src/intents/lifecycle.ts'
import { createApiKey, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'

const at = new Date('2026-11-20T12:00:00.000Z')
const hour = 60 * 60 * 1000
const card = {
  type: 'card',
  card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' },
}

let db: Database

beforeAll(async () => {
  db = await openPglite(undefined)
  await migrate(db)
  await migrate(db)
  await db.query`insert into merchants (id, name, created_at) values ('mer_1', 'Shop', ${at})`
  await db.query`
    insert into environments (id, merchant_id, mode, idempotency_salt, created_at)
    values ('env_1', 'mer_1', 'test', ${randomSalt(32)}, ${at})`
})

afterAll(async () => await db.close())

function draft(key: number, changes: Partial<NewIntent> = {}): NewIntent {
  return {
    id: `pi_${randomBase62(24)}`,
    environmentId: 'env_1',
    secretKid: 'k1',
    secretSalt: randomSalt(16),
    body: { amount: 150000, currency: 'AMD', orderId: 'A-1001', metadata: { z: '1', a: '2' } },
    createdAt: at,
    idempotency: { hash: hash(key), fingerprint: hash(1) },
    ...changes,
  }
}

function hash(byte: number): string {
  return Buffer.alloc(32, byte).toString('hex')
}

test('a statement that was planned in an empty store reads what it needs when the store has grown', async () => {
  const create = createBatch(db)
  const read = async (tx: Queryable): Promise<void> => {
    const key = { environmentId: 'env_1', id: first.id }
    await createBatch({ ...db, ...tx })(draft(20))
    await findBatch({ ...db, ...tx })(key)
    await findIntent(tx, key, at)
  }
  const first = draft(20)
  await create(first)
  await read(db)
  await db.query`
    insert into payment_intents (
      id, environment_id, amount, currency, order_id, secret_kid, idempotency_hash,
      idempotency_fingerprint, idempotency_expires_at, expires_at, created_at, updated_at)
    select 'pi_' || n, 'env_1', 1, 'AMD', 'A-1', 'k1', sha256(n::text::bytea), sha256(''),
           ${at}, ${new Date(at.getTime() + hour)}, ${at}, ${at}
      from generate_series(1, 1000) n`
  const fetched = await db.transaction(async (tx) => {
    await read(tx)
    const [count] = await tx.query<{ rows: number }>`
      select seq_tup_read + idx_tup_fetch as rows
        from pg_stat_xact_user_tables where relname = 'payment_intents'`
    return count?.rows
  })
  await db.query`delete from payment_intents where amount = 1`
  expect(fetched).toBeLessThan(100)
})

test('of fifty drafts with one key, one becomes an intent and the others replay it (threat 20)', async () => {
  const create = createBatch(db)
  const drafts = Array.from({ length: 50 }, () => draft(1))
  const results = await Promise.all(drafts.map(create))
  const winner = drafts[results.findIndex(({ type }) => type === 'created')]
  const replays = results.flatMap((result) => (result.type === 'replayed' ? [result.created] : []))
  expect(replays).toHaveLength(49)
  for (const replay of replays) {
    expect(replay).toMatchObject({
      id: winner?.id,
      secretSalt: winner?.secretSalt,
      body: winner?.body,
      createdAt: at,
    })
  }
})

test('reports a key that was used with another body', async () => {
  const create = createBatch(db)
  const other = { hash: hash(2), fingerprint: hash(9) }
  expect(await create(draft(2))).toEqual({ type: 'created' })
  expect(await create(draft(2, { idempotency: other }))).toEqual({ type: 'reused' })
})

test('forty racers for a key past its time make one intent', async () => {
  const create = createBatch(db)
  const later = new Date(at.getTime() + 48 * hour)
  await create(draft(3))
  const results = await Promise.all(
    Array.from({ length: 40 }, () => create(draft(3, { createdAt: later }))),
  )
  expect(results.filter(({ type }) => type === 'created')).toHaveLength(1)
  expect(results.filter(({ type }) => type === 'replayed')).toHaveLength(39)
})

test('a bad row in a batch fails alone', async () => {
  const create = createBatch(db)
  const bad = draft(4, { environmentId: 'env_missing' })
  const results = await Promise.allSettled([create(draft(5)), create(bad), create(draft(6))])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(String((results[1] as PromiseRejectedResult).reason)).toContain('23503')
})

test('what is created stays created when a duplicate of its batch cannot be looked up', async () => {
  await createBatch(db)(draft(20))
  for (const code of ['08006', '42501']) {
    const torn: Database = {
      ...db,
      query: async <Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]) => {
        if (text.join('').includes('join payment_intents')) throw new StoreError(code)
        return await db.query<Row>(text, ...values)
      },
    }
    const create = createBatch(torn)
    const { idempotency: _, ...keyless } = draft(0)
    const drafts = [keyless, draft(code === '08006' ? 21 : 22), draft(20)]
    const results = await Promise.allSettled(drafts.map(create))
    expect(results).toEqual([
      { status: 'fulfilled', value: { type: 'created' } },
      { status: 'fulfilled', value: { type: 'created' } },
      { status: 'rejected', reason: expect.objectContaining({ code }) },
    ])
    const ids = drafts.map(({ id }) => id)
    expect(await db.query`select from payment_intents where id = any(${ids})`).toHaveLength(2)
  }
})

test('of two moves that saw the same version, one gets the intent', async () => {
  const create = createBatch(db)
  const { id } = draft(7)
  await create(draft(7, { id }))
  const seen = await findIntent(db, { environmentId: 'env_1', id }, at)
  if (!seen) throw new Error('missing')
  const next = decide(seen, { type: 'confirmed', paymentMethod: card }, at)
  if ('rejection' in next) throw new Error(next.rejection)
  const moves = await Promise.all([moveIntent(db, seen, next), moveIntent(db, seen, next)])
  expect(moves.map((moved) => moved?.version)).toEqual([2, undefined])
  expect(moves[0]).toMatchObject({ status: 'processing', paymentMethod: card, confirms: 1 })
})

test('read among many, an intent is what it is alone, in every state', async () => {
  const create = createBatch(db)
  const find = findBatch(db)
  const settlement = { at: new Date(at.getTime() + hour), providerPaymentId: 'pay_2' }
  const failure = { code: 'card_declined', declineCode: 'lost_card', message: 'Lost "card"' }
  const confirmed = { type: 'confirmed', paymentMethod: card } as const
  const ways: readonly (readonly Cause[])[] = [
    [],
    [{ ...confirmed, challenge: 'redirect' }],
    [{ ...confirmed, settlement }],
    [confirmed, { type: 'authorised', providerPaymentId: 'pay_1' }],
    [confirmed, { type: 'declined', failure, hard: false }],
    [confirmed, { type: 'declined', failure, hard: true }],
  ]
  const customer = { id: 'c_1', name: 'Ani \u0540' }
  const keys = await Promise.all(
    ways.map(async (causes, index) => {
      const { id, body } = draft(30 + index)
      await create(draft(30 + index, { id, body: { ...body, ...(index > 0 && { customer }) } }))
      const key = { environmentId: 'env_1', id }
      for (const cause of causes) {
        const seen = await findIntent(db, key, at)
        const next = seen && decide(seen, cause, at)
        if (!next || 'rejection' in next) throw new Error(next?.rejection)
        await moveIntent(db, seen, next)
      }
      return key
    }),
  )
  for (const [index, intent] of (await Promise.all(keys.map(find))).entries()) {
    const alone = await findIntent(db, keys[index] as IntentKey, at)
    const { secretKid, secretSalt, ...expected } = alone as StoredIntent
    expect(intent).toEqual(expected)
  }
})

test('an intent that cannot be read fails alone', async () => {
  const create = createBatch(db)
  const [odd, fine] = [draft(40), draft(41)]
  await create(odd)
  await create(fine)
  await db.query`update payment_intents set order_id = ${'A\x1f1'} where id = ${odd.id}`
  const find = findBatch(db)
  const keys = [odd, fine].map(({ id }) => ({ environmentId: 'env_1', id }))
  const [failed, read] = await Promise.allSettled(keys.map(find))
  expect(failed?.status).toBe('rejected')
  expect(read).toMatchObject({ status: 'fulfilled', value: { id: fine.id } })
  await db.query`delete from payment_intents where id = ${odd.id}`
})

test('reading past a deadline writes every step that time has taken', async () => {
  const create = createBatch(db)
  const { id } = draft(8)
  await create(draft(8, { id }))
  const key = { environmentId: 'env_1', id }
  const seen = await findIntent(db, key, at)
  if (!seen) throw new Error('missing')
  const asked = decide(seen, { type: 'confirmed', paymentMethod: card, challenge: 'challenge' }, at)
  if ('rejection' in asked) throw new Error(asked.rejection)
  await moveIntent(db, seen, asked)
  const read = await findIntent(db, key, new Date(at.getTime() + 25 * hour))
  expect(read).toMatchObject({
    status: 'expired',
    version: 4,
    lastPaymentFailure: { declineCode: 'authentication_timed_out', retryable: true },
    finalizedAt: new Date('2026-11-21T12:00:00.000Z'),
  })
  const events = await db.query<{ cause: string }>`
    select cause from intent_events where intent_id = ${id} order by version`
  expect(events.map(({ cause }) => cause)).toEqual(['confirmed', 'challenge_timed_out', 'expired'])
})

test('an illegal state cannot be stored', async () => {
  const create = createBatch(db)
  const { id } = draft(9)
  await create(draft(9, { id }))
  await expect(db.query`
    update payment_intents set status = 'succeeded' where id = ${id}`).rejects.toMatchObject({
    code: '23514',
  })
})

test('what another instance revokes while a key is looked up here counts no longer than five seconds', async () => {
  const keys = readSecretKeys(newSecretKeys())
  const environment = { id: 'env_1', mode: 'test' } as const
  const { id, apiKey } = await createApiKey(db, keys, { environment, now: at })
  let now = at.getTime()
  const slow: Database = {
    ...db,
    query: async <Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]) => {
      const rows = await db.query<Row>(text, ...values)
      now += 3000
      return rows
    },
  }
  const { authenticate } = createAuthenticator({ db: slow, keys, now: () => new Date(now) })
  const headers = { authorization: `Bearer ${apiKey}` }
  const ask = async () => await authenticate({ headers, socket: {} } as unknown as IncomingMessage)
  expect(await ask()).toMatchObject({ id: 'env_1' })
  await revokeApiKey(db, { id, now: at })
  now = at.getTime() + 4999
  expect(await ask()).toMatchObject({ id: 'env_1' })
  now = at.getTime() + 5000
  await expect(ask()).rejects.toMatchObject({ code: 'revoked_credentials' })
})
