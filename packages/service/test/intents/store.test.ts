import { describe, expect, test } from 'vitest'
import type { Intent } from '../../src/intents/intent.ts'
import type { Draft } from '../../src/intents/statements.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { StoreError } from '../../src/store/errors.ts'
import { pay } from '../support/causes.ts'
import { hashes, newIntent, observed, stores } from '../support/store.ts'

const at = new Date('2026-11-20T12:00:00.000Z')
const later = { createdAt: new Date(at.getTime() + 365 * 24 * 3600_000) }

const created = { value: { type: 'created' } }

function draft(key: number, changes: Partial<Intent> = {}, body = 1): Draft {
  return { intent: newIntent({ createdAt: at, ...changes }), key: hashes(key, body) }
}

describe.each(stores)('%s', async (_, open) => {
  const db = await open()
  const store = createIntentStore({ db, now: () => at })
  const { create, find } = store

  test('a key belongs to one body of one environment, also a year later', async () => {
    const live = { environmentId: 'env_live' }
    const first = draft(60, { customer: { id: 'c_1', name: 'Ani' }, metadata: { cart: '7' } })
    const plain = draft(61)
    await Promise.all([first, plain, draft(62, live)].map(create))
    const drafts = [draft(60, later), draft(60, later, 2), draft(60, live), draft(61, later)]
    // `first` again, as if the result of its insert was lost.
    const others = [draft(62), first, { intent: newIntent() }]
    expect(await Promise.allSettled([...drafts, ...others].map(create))).toMatchObject([
      { value: { type: 'replayed', intent: first.intent } },
      { reason: { code: 'idempotency_key_reused' } },
      created,
      { value: { type: 'replayed', intent: plain.intent } },
      ...Array(3).fill(created),
    ])
    const other = draft(60, live, 2)
    await expect(create(other)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  })

  /** @see Finding S1 */
  test('keeps what it created if reading a duplicate fails', async () => {
    await create(draft(20))
    const broken = observed(db, ({ text }) => {
      if (text.includes('where key_hash =')) throw new StoreError('08006')
    })
    const { create: createBroken } = createIntentStore({ db: broken, now: () => at })
    const drafts = [{ intent: newIntent() }, draft(21), draft(20)]
    const results = await Promise.allSettled(drafts.map(createBroken))
    expect(results).toMatchObject([created, created, { reason: { code: '08006' } }])
    const found = await Promise.all(drafts.map(({ intent }) => find(intent.id)))
    expect(found.map((intent) => intent !== undefined)).toEqual([true, true, false])
  })

  test('reads exactly what was created, and nothing for an unknown id', async () => {
    const customer = { id: 'c_1', name: 'Ani \u0540' }
    const metadata = { z: '1', a: '2', quoted: '"\\\u0000\'{}', lone: '\ud800' }
    const intents = [newIntent(), newIntent({ customer, metadata, amount: 2 ** 53 - 1 })]
    await Promise.all(intents.map(async (intent) => await create({ intent })))
    const found = await Promise.all([...intents.map(({ id }) => id), 'pi_none'].map(find))
    expect(found).toEqual([...intents, undefined])
    expect(Object.keys(found[1]?.metadata ?? {})).toEqual(['z', 'a', 'quoted', 'lone'])
    expect(await store.load('pi_none')).toBeUndefined()
  })

  test('creates no intent in an environment that was deleted meanwhile', async () => {
    const intents = [newIntent({ environmentId: 'env_deleted' }), newIntent()]
    expect(await Promise.allSettled(intents.map((intent) => create({ intent })))).toMatchObject([
      { reason: { code: 'invalid_credentials' } },
      created,
    ])
  })

  /** @see Finding S6 */
  test('revokes a secret and cancels its intent in one write, with its own event', async () => {
    const intent = newIntent({ createdAt: at })
    await create({ intent })
    const writes: string[] = []
    const counted = observed(db, ({ text }) => {
      if (!text.trimStart().startsWith('select')) writes.push(text)
    })
    const revoking = createIntentStore({ db: counted, now: () => at })
    for (let times = 0; times < 2; times++) await revoking.change(intent.id, { type: 'revoked' })
    expect(writes).toHaveLength(1)
    const state = { events: [{ cause: 'revoked', status: 'canceled' }] }
    expect(await find(intent.id)).toMatchObject({ status: 'canceled', revokedAt: at, state })
    expect((await store.change(intent.id, pay()))?.rejection).toBe('payment_intent_not_found')
  })
})
