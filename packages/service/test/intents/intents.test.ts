import { expect, test } from 'vitest'
import { StoreError } from '../../src/db/errors.ts'
import { createBatch, type NewIntent } from '../../src/intents/create-batch.ts'
import { findBatch } from '../../src/intents/find-batch.ts'
import type { StoredIntent } from '../../src/intents/intent-row.ts'
import {
  applyCauses,
  createIntentStore,
  findIntent,
  moveIntent,
  revokeSecret,
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

test('inserts the keys of a batch in one order, so that two batches cannot deadlock', async () => {
  const drafts = [74, 71, 73, 72].map((key) => draft(key))
  await Promise.all(drafts.map(create))
  const inserted = await db.query`
    select encode(idempotency_hash, 'hex') as hash from payment_intents
     where id = any(${drafts.map(({ id }) => id)}) order by ctid`
  expect(inserted).toEqual([71, 72, 73, 74].map((key) => ({ hash: hashes(key).hash })))
})

test('sends one statement for new intents, two with a repeated key, one while the store is away', async () => {
  let statements = 0
  let isAway = false
  const counted = observed(db, () => {
    statements++
    if (isAway) throw new StoreError('08006')
  })
  const sent = async (): Promise<number> => {
    statements = 0
    await Promise.allSettled([newIntent(), draft(75)].map(createBatch(counted)))
    return statements
  }
  expect([await sent(), await sent()]).toEqual([1, 2])
  isAway = true
  expect(await sent()).toBe(1)
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

test('a key belongs to one body of one environment, for 48 hours', async () => {
  const customer = { id: 'c_1', name: 'Ani' }
  const first = draft(60, { body: { ...newIntent().body, customer, metadata: { cart: '7' } } })
  const plain = draft(61)
  await Promise.all([first, plain, draft(62, { environmentId: 'env_live' })].map(create))
  const before = { createdAt: new Date(after(48).getTime() - 1) }
  const otherBody = { idempotency: hashes(60, 2) }
  const { id, secretKid, secretSalt, environmentId, body } = first
  const replayed = { id, secretKid, secretSalt, environmentId, body, createdAt: at }
  const drafts = [
    draft(60, before),
    draft(60, { ...before, ...otherBody }),
    draft(60, { environmentId: 'env_live' }),
    draft(61, before),
    draft(62),
    // The result of its first insert was lost.
    first,
    newIntent(),
  ]
  expect(await Promise.all(drafts.map(create))).toEqual([
    { type: 'replayed', created: expect.objectContaining(replayed) },
    { type: 'reused' },
    { type: 'created' },
    { type: 'replayed', created: expect.objectContaining({ id: plain.id, body: plain.body }) },
    ...Array(3).fill({ type: 'created' }),
  ])
  const later = draft(60, { ...otherBody, createdAt: after(48) })
  const again = [later, { ...later, id: newIntent().id }, draft(61)]
  const laterAgain = { type: 'replayed', created: { id: later.id } }
  const plainAgain = { type: 'replayed', created: { id: plain.id } }
  const expected = [{ type: 'created' }, laterAgain, plainAgain]
  expect(await Promise.all(again.map(create))).toMatchObject(expected)
  const last = [
    draft(60, otherBody),
    draft(60, { ...otherBody, environmentId: 'env_live' }),
    draft(61),
  ]
  const reused = { type: 'reused' }
  expect(await Promise.all(last.map(create))).toMatchObject([laterAgain, reused, plainAgain])
})

test('a key that another instance has locked is in use, and other creates succeed', async () => {
  const locked = draft(63)
  const busy = observed(db, (_text, values) => {
    if (values.some((column) => [column].flat().includes(locked.id))) throw new StoreError('55P03')
  })
  const results = await Promise.allSettled([locked, draft(64), newIntent()].map(createBatch(busy)))
  expect(results).toEqual(
    ['in_use', 'created', 'created'].map((type) => ({ status: 'fulfilled', value: { type } })),
  )
  const unkeyed = observed(db, () => {
    throw new StoreError('55P03')
  })
  await expect(createBatch(unkeyed)(newIntent())).rejects.toMatchObject({ code: '55P03' })
})

test('finds and settles intents of one environment', async () => {
  const store = createIntentStore(db)
  const [one, deleted] = [draft(65), draft(66)]
  await Promise.all([store.create(one), store.create(deleted)])
  const intent = await store.find(keyOf(one))
  expect(intent).toMatchObject({ id: one.id, status: 'requires_payment_method' })
  expect(intent).not.toHaveProperty('secretSalt')
  for (const key of [{ ...keyOf(one), environmentId: 'env_other' }, keyOf(newIntent())]) {
    expect(await store.find(key)).toBeUndefined()
    expect(await findIntent(db, key, at)).toBeUndefined()
  }
  const found = await store.find(keyOf(deleted))
  if (!intent || !found) throw new Error('missing')
  expect(await store.applyDeadlines(intent, after(23))).toBe(intent)
  expect(await store.applyDeadlines(intent, after(24))).toMatchObject({
    status: 'expired',
    version: 2,
  })
  // The first read is out of date.
  expect(await store.applyDeadlines(intent, after(25))).toMatchObject({
    status: 'expired',
    version: 2,
  })
  await db.query`delete from payment_intents where id = ${deleted.id}`
  expect(await store.applyDeadlines(found, after(24))).toBeUndefined()
})

test('revokes the secret of an intent in environments of the given modes', async () => {
  const changes: unknown[] = []
  const recorded = { ...db, notify: (change: unknown) => void changes.push(change) }
  const drafted = draft(67)
  await create(drafted)
  for (const [id, mode] of [
    [drafted.id, 'live'],
    ['pi_none', 'test'],
  ] as const) {
    expect(await revokeSecret(recorded, { id, modes: [mode] })).toBe(false)
  }
  expect([changes, (await read(drafted)).secretSalt]).toEqual([[], drafted.secretSalt])
  expect(await revokeSecret(recorded, { id: drafted.id, modes: ['test', 'live'] })).toBe(true)
  expect(changes).toEqual([{ intentId: drafted.id, version: Infinity }])
  expect((await read(drafted)).secretSalt).toBeNull()
})

const declined = { code: 'card_declined', declineCode: 'generic', message: 'Declined.' }
for (const [state, ...causes] of [
  ['challenge', { ...confirmed, challenge: 'challenge' }],
  ['processing', { ...confirmed, challenge: 'challenge' }, { type: 'challenge_passed' }],
  ['succeeded', confirmed, { type: 'authorised', providerPaymentId: 'pay_state' }],
  ['failed', confirmed, { type: 'declined', failure: declined, hard: false }],
  ['failed', confirmed, { type: 'declined', failure: declined, hard: true }],
  ['abandoned', { ...confirmed, challenge: 'challenge' }, { type: 'canceled' }],
] as readonly [string, Cause, Cause?][]) {
  test(`a confirmation is ${state} after ${causes.map((cause) => cause?.type).join(', ')}`, async () => {
    const drafted = draft(68, { idempotency: undefined as never })
    const [first, ...rest] = causes as [Cause, ...Cause[]]
    const intent = await moved(drafted, first)
    await db.query`
      insert into payment_attempts (intent_id, attempt_id, state, payment_method, outcome, created_at, updated_at)
      values (${drafted.id}, 'a', ${intent.status === 'processing' ? 'processing' : 'challenge'}, '{}', 'x', ${at}, ${at})`
    await applyCauses(db, intent, { causes: rest, at })
    expect(
      await db.query`
      select state, failure is not null as failed from payment_attempts
       where intent_id = ${drafted.id}`,
    ).toEqual([{ state, failed: state === 'failed' }])
  })
}

test('rejects the first cause without a change', async () => {
  const intent = await moved(draft(69))
  const apply = async (...causes: Cause[]) => await applyCauses(db, intent, { causes, at })
  expect(await apply({ type: 'challenge_passed' })).toEqual({ rejection: 'version_conflict' })
  expect(await apply()).toBe(intent)
  expect(await apply(confirmed)).toMatchObject({ status: 'processing', version: 2 })
  expect(await apply(confirmed)).toEqual({ rejection: 'version_conflict' })
})

test.each([
  ['reading a duplicate', '08006', 21, 'join payment_intents'],
  ['reading a duplicate', '42501', 22, 'join payment_intents'],
  ['releasing an expired key', '08006', 23, 'idempotency_hash = null'],
] as const)('keeps what it created if %s fails with %s', async (_, code, key, part) => {
  await create(draft(20))
  const broken = observed(db, (text) => {
    if (text.includes(part)) throw new StoreError(code)
  })
  const drafts = [newIntent(), draft(key), draft(20, { createdAt: after(48) })]
  expect(await Promise.allSettled(drafts.map(createBatch(broken)))).toEqual([
    { status: 'fulfilled', value: { type: 'created' } },
    { status: 'fulfilled', value: { type: 'created' } },
    { status: 'rejected', reason: expect.objectContaining({ code }) },
  ])
  const ids = drafts.map(({ id }) => id)
  expect(await db.query`select from payment_intents where id = any(${ids})`).toHaveLength(2)
})

test('applies one of two moves from the same version', async () => {
  const intent = await moved(draft(7))
  const next = decide(intent, confirmed, at)
  if ('rejection' in next) throw new Error(next.rejection)
  const changes: unknown[] = []
  const recorded = { ...db, notify: (change: unknown) => void changes.push(change) }
  const moves = await Promise.all([1, 2].map(() => moveIntent(recorded, intent, next)))
  expect(moves.map((move) => move?.version)).toEqual([2, undefined])
  expect(changes).toEqual([{ intentId: intent.id, version: 2 }])
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
  const unset = { nextAction: null, providerPaymentId: null, settlement: null, finalizedAt: null }
  expect(alone).toMatchObject([
    { ...unset, customer: null, metadata: null, paymentMethod: null, lastPaymentFailure: null },
    { ...unset, customer: body.customer, metadata: body.metadata },
    { nextAction: { type: 'redirect', expiresAt: new Date(at.getTime() + 600_000) } },
    { nextAction: null, settlement },
    { providerPaymentId: 'pay_1', finalizedAt: at, createdAt: at, expiresAt: after(24) },
    { lastPaymentFailure: failure, finalizedAt: null, paymentMethod: null },
    { lastPaymentFailure: failure, finalizedAt: at },
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
    {
      status: 'rejected',
      reason: new Error('The store contains an intent with a separator in it'),
    },
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
