import { expect, test } from 'vitest'
import { StoreError } from '../../src/db/errors.ts'
import { createBatch, type Draft } from '../../src/intents/create.ts'
import type { Intent } from '../../src/intents/intent.ts'
import type { Cause } from '../../src/intents/lifecycle.ts'
import { change, createIntentStore, load } from '../../src/intents/store.ts'
import { authorizeTestCard } from '../../src/provider/acquirer.ts'
import { hashes, newIntent, observed, openTestStore } from '../support/store.ts'

const db = await openTestStore()
const create = createBatch(db)
const at = new Date('2026-11-20T12:00:00.000Z')
const after = (hours: number): Date => new Date(at.getTime() + hours * 3600_000)
let now = at
const store = createIntentStore({ db, now: () => now })

const paid: Cause = {
  type: 'confirmed',
  confirmationId: 'attempt-1',
  version: 1,
  providerPaymentId: 'sim_1',
  authorization: authorizeTestCard('visa', { expMonth: 12, expYear: 2040 }),
}
function draft(key: number, changes: Partial<Intent> = {}, body = 1): Draft {
  return { intent: newIntent({ createdAt: at, ...changes }), key: hashes(key, body) }
}

async function stored(changes: Partial<Intent> = {}): Promise<Intent> {
  const intent = newIntent({ createdAt: at, ...changes })
  await create({ intent })
  return intent
}

test('fails only the bad row of a batch', async () => {
  const bad = draft(4, { orderId: null as never })
  const results = await Promise.allSettled([create(draft(5)), create(bad), create(draft(6))])
  expect(results).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: '23502' } },
    { status: 'fulfilled' },
  ])
})

test('a key belongs to one body of one environment, for 48 hours', async () => {
  const customer = { id: 'c_1', name: 'Ani' }
  const first = draft(60, { customer, metadata: { cart: '7' } })
  const plain = draft(61)
  await Promise.all([first, plain, draft(62, { environmentId: 'env_live' })].map(create))
  const before = { createdAt: new Date(after(48).getTime() - 1) }
  const drafts = [
    draft(60, before),
    draft(60, before, 2),
    draft(60, { environmentId: 'env_live' }),
    draft(61, before),
    draft(62),
    // The result of its first insert was lost.
    first,
    { intent: newIntent() },
  ]
  expect(await Promise.all(drafts.map(create))).toMatchObject([
    { type: 'replayed', intent: first.intent },
    { type: 'reused' },
    { type: 'created' },
    { type: 'replayed', intent: plain.intent },
    ...Array(3).fill({ type: 'created' }),
  ])
  const later = draft(60, { createdAt: after(48) }, 2)
  const again = [later, draft(60, { createdAt: after(48) }, 2), draft(61)]
  const laterAgain = { type: 'replayed', intent: { id: later.intent.id } }
  const plainAgain = { type: 'replayed', intent: { id: plain.intent.id } }
  const expected = [{ type: 'created' }, laterAgain, plainAgain]
  expect(await Promise.all(again.map(create))).toMatchObject(expected)
  const last = [draft(60, {}, 2), draft(60, { environmentId: 'env_live' }, 2), draft(61)]
  const reused = { type: 'reused' }
  expect(await Promise.all(last.map(create))).toMatchObject([laterAgain, reused, plainAgain])
})

test('a key that another instance has locked is in use, and other creates succeed', async () => {
  const locked = draft(63)
  const busy = observed(db, (_text, values) => {
    if (values.some((column) => [column].flat().includes(locked.intent.id))) {
      throw new StoreError('55P03')
    }
  })
  const drafts = [locked, draft(64), { intent: newIntent() }]
  const results = await Promise.all(drafts.map(createBatch(busy)))
  expect(results.map(({ type }) => type)).toEqual(['in_use', 'created', 'created'])
  const unkeyed = observed(db, () => {
    throw new StoreError('55P03')
  })
  const failed = createBatch(unkeyed)({ intent: newIntent() })
  await expect(failed).rejects.toMatchObject({ code: '55P03' })
})

test.each([
  ['reading a duplicate', '08006', 21, 'key_hash = any'],
  ['reading a duplicate', '42501', 22, 'key_hash = any'],
  ['releasing an expired key', '08006', 23, 'key_hash = null'],
] as const)('keeps what it created if %s fails with %s', async (_, code, key, part) => {
  await create(draft(20))
  const broken = observed(db, (text) => {
    if (text.includes(part)) throw new StoreError(code)
  })
  const drafts = [{ intent: newIntent() }, draft(key), draft(20, { createdAt: after(48) })]
  expect(await Promise.allSettled(drafts.map(createBatch(broken)))).toMatchObject([
    { value: { type: 'created' } },
    { value: { type: 'created' } },
    { reason: { code } },
  ])
  const ids = drafts.map(({ intent }) => intent.id)
  expect(await db.query`select from intents where id = any(${ids})`).toHaveLength(2)
})

test('reads what was created, and nothing for an unknown id', async () => {
  const customer = { id: 'c_1', name: 'Ani \u0540' }
  const metadata = { z: '1', a: '2' }
  const intents = [await stored(), await stored({ customer, metadata, currency: 'AMD' })]
  const ids = [...intents.map(({ id }) => id), 'pi_none']
  const found = await Promise.all(ids.map(store.find))
  expect(found).toEqual([...intents, undefined])
  expect(Object.keys(found[1]?.metadata ?? {})).toEqual(['z', 'a'])
  expect(await load(store, 'pi_none')).toBeUndefined()
})

test('fails only the intent of a batch whose document is of a later version', async () => {
  const [later, readable] = [await stored(), await stored()]
  await db.query`update intents set state = '{"v":9}' where id = ${later.id}`
  const results = await Promise.allSettled([later.id, readable.id].map(store.find))
  expect(results).toMatchObject([
    { reason: new Error('The store has an intent with a state of version 9') },
    { value: { id: readable.id } },
  ])
  await db.query`delete from intents where id = ${later.id}`
})

test('writes a passed deadline also if the cause is rejected, or the secret is revoked', async () => {
  const intents = [await stored(), await stored()]
  await db.query`update intents set secret_salt = null where id = ${intents[1]?.id ?? null}`
  now = after(25)
  const changes = await Promise.all(intents.map(async ({ id }) => await change(store, id, paid)))
  now = at
  const rejections = ['intent_finalized', 'payment_intent_not_found']
  expect(changes.map((changed) => changed?.rejection)).toEqual(rejections)
  for (const { id } of intents) expect((await store.find(id))?.status).toBe('expired')
})

test('creates no intent in an environment that was deleted meanwhile', async () => {
  const intent = newIntent({ environmentId: 'env_deleted' })
  const created = await Promise.all([
    store.create({ intent }),
    store.create({ intent: newIntent() }),
  ])
  expect(created.map(({ type }) => type)).toEqual(['no_environment', 'created'])
})

test('gives up when another change wins ten times', async () => {
  const { id } = await stored()
  let tries = 0
  const losing = { ...store, write: async () => ++tries < 0 }
  await expect(change(losing, id, paid)).rejects.toMatchObject({ unavailable: true })
  expect(tries).toBe(10)
})
