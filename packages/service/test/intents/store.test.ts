import { describe, expect, test } from 'vitest'
import type { Intent } from '../../src/intents/intent.ts'
import type { Cause } from '../../src/intents/lifecycle.ts'
import type { Draft } from '../../src/intents/store.ts'
import { change, createIntentStore, load } from '../../src/intents/store.ts'
import { authorizeTestCard } from '../../src/provider/acquirer.ts'
import { StoreError } from '../../src/store/errors.ts'
import { hashes, newIntent, observed, stores } from '../support/store.ts'

const at = new Date('2026-11-20T12:00:00.000Z')
const after = (hours: number): Date => new Date(at.getTime() + hours * 3600_000)

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

describe.each(stores)('%s', async (_, open) => {
  const db = await open()
  let now = at
  const store = createIntentStore({ db, now: () => now })
  const { create } = store

  async function stored(changes: Partial<Intent> = {}): Promise<Intent> {
    const intent = newIntent({ createdAt: at, ...changes })
    await create({ intent })
    return intent
  }

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
    const found = await Promise.all(again.map(create))
    expect(found.map(({ type }) => type).sort()).toEqual(['created', 'replayed', 'replayed'])
    expect(found[2]).toMatchObject({ intent: { id: plain.intent.id } })
    const last = [draft(60, {}, 2), draft(60, { environmentId: 'env_live' }, 2), draft(61)]
    const types = (await Promise.all(last.map(create))).map(({ type }) => type)
    expect(types).toEqual(['replayed', 'reused', 'replayed'])
  })

  test('a key that another instance has locked is in use, and other creates succeed', async () => {
    const locked = draft(63)
    const busy = observed(db, ({ values }) => {
      if (values.includes(locked.intent.id)) throw new StoreError('55P03')
    })
    const drafts = [locked, draft(64), { intent: newIntent() }]
    const { create: createBusy } = createIntentStore({ db: busy, now: () => now })
    const results = await Promise.all(drafts.map(createBusy))
    expect(results.map(({ type }) => type)).toEqual(['in_use', 'created', 'created'])
  })

  test.each([
    ['reading a duplicate', '08006', 21, 'where key_hash ='],
    ['releasing an expired key', '08006', 23, 'key_hash = null'],
  ] as const)('keeps what it created if %s fails with %s', async (_, code, key, part) => {
    await create(draft(20))
    const broken = observed(db, ({ text }) => {
      if (text.includes(part)) throw new StoreError(code)
    })
    const { create: createBroken } = createIntentStore({ db: broken, now: () => now })
    const drafts = [{ intent: newIntent() }, draft(key), draft(20, { createdAt: after(48) })]
    const results = await Promise.allSettled(drafts.map(createBroken))
    expect(results).toMatchObject([
      { value: { type: 'created' } },
      { value: { type: 'created' } },
      { reason: { code } },
    ])
    const [first, second, third] = await Promise.all(
      drafts.map(async ({ intent }) => await store.find(intent.id)),
    )
    expect([first?.id, second?.id, third]).toEqual([
      drafts[0]?.intent.id,
      drafts[1]?.intent.id,
      undefined,
    ])
  })

  test('reads what was created, and nothing for an unknown id', async () => {
    const customer = { id: 'c_1', name: 'Ani \u0540' }
    const metadata = { z: '1', a: '2', quoted: '"\\\u0000\'{}', lone: '\ud800' }
    const intents = [await stored(), await stored({ customer, metadata, amount: 2 ** 53 - 1 })]
    const ids = [...intents.map(({ id }) => id), 'pi_none']
    const found = await Promise.all(ids.map(store.find))
    expect(found).toEqual([...intents, undefined])
    expect(Object.keys(found[1]?.metadata ?? {})).toEqual(['z', 'a', 'quoted', 'lone'])
    expect(await load(store, 'pi_none')).toBeUndefined()
  })

  test('writes a passed deadline also if the cause is rejected', async () => {
    const { id } = await stored()
    now = after(25)
    const changed = await change(store, id, paid)
    now = at
    expect(changed?.rejection).toBe('intent_finalized')
    expect((await store.find(id))?.status).toBe('expired')
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

  test('revokes a secret and cancels its intent in one write, with its own event', async () => {
    const { id } = await stored()
    const writes: string[] = []
    const counted = observed(db, ({ text }) => {
      if (!text.trimStart().startsWith('select')) writes.push(text)
    })
    const revoking = createIntentStore({ db: counted, now: () => now })
    await change(revoking, id, { type: 'revoked' })
    await change(revoking, id, { type: 'revoked' })
    expect(writes).toHaveLength(1)
    expect(await store.find(id)).toMatchObject({
      status: 'canceled',
      revokedAt: at,
      state: { events: [{ cause: 'revoked', status: 'canceled' }] },
    })
    expect((await change(store, id, paid))?.rejection).toBe('payment_intent_not_found')
  })
})
