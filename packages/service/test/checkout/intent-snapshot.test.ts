import { expect, test } from 'vitest'
import { loadIntent, snapshotReader } from '../../src/checkout/intent-snapshot.ts'
import { createBatch } from '../../src/intents/create-batch.ts'
import { newIntent, openTestStore } from '../support/store.ts'

const db = await openTestStore()
const start = new Date('2026-11-20T12:00:00.000Z')
const store = { db, now: () => start }
const read = snapshotReader(store)
const draft = newIntent({ createdAt: start })
await createBatch(db)(draft)
await db.query`update environments set clock_offset = ${24 * 3600_000} where id = 'env_test'`

test('reads an intent after its passed deadlines, at the time of its environment', async () => {
  const { id } = draft
  const snapshot = {
    environment: { id: 'env_test' },
    intent: { id, status: 'expired' },
    at: new Date('2026-11-21T12:00:00.000Z'),
  }
  const key = { id, environmentId: 'env_test' }
  expect(await loadIntent(store, { id })).toMatchObject(snapshot)
  expect(await loadIntent(store, key)).toMatchObject(snapshot)
  expect(await read(key)).toMatchObject(snapshot)
})

test('reads no intent that is unknown or in another environment (threat 8)', async () => {
  for (const [id, environmentId] of [
    ['pi_none', 'env_test'],
    [draft.id, 'env_other'],
    [draft.id, 'env_none'],
  ] as const) {
    expect(await loadIntent(store, { id, environmentId })).toBeUndefined()
    expect(await read({ id, environmentId })).toBeUndefined()
  }
  expect(await loadIntent(store, { id: 'pi_none' })).toBeUndefined()
})
