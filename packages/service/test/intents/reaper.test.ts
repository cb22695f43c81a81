import { expect, test } from 'vitest'
import { randomSalt } from '../../src/ids.ts'
import { createBatch } from '../../src/intents/create-batch.ts'
import { reap } from '../../src/intents/reaper.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'
import { hashes, newIntent, observed, openTestStore } from '../support/store.ts'

const db = await openTestStore()
const start = new Date('2026-11-20T12:00:00.000Z')
const after = (hours: number): Date => new Date(start.getTime() + hours * 3600_000)

/** Creates an intent in a new environment whose clock is this many hours ahead. */
async function createIn(merchant: string, hoursAhead = 0): Promise<string> {
  const { id: environmentId } = await ensureEnvironment(db, { merchant, mode: 'test' }, start)
  await db.query`
    update environments set clock_offset = ${hoursAhead * 3600_000} where id = ${environmentId}`
  const createdAt = after(Math.min(hoursAhead, 0))
  const draft = newIntent({ environmentId, createdAt, idempotency: hashes(1) })
  await createBatch(db)(draft)
  return draft.id
}

async function reapAt(hours: number, signal?: AbortSignal): Promise<void> {
  await reap({ db, now: () => after(hours) }, signal)
}

async function rowOf(id: string): Promise<{ status: string; at: Date; hasKey: boolean }> {
  const [row] = await db.query<{ status: string; at: Date; hasKey: boolean }>`
    select status, updated_at as at, idempotency_hash is not null as "hasKey"
      from payment_intents where id = ${id}`
  if (!row) throw new Error('missing')
  return row
}

test('expires an intent that no request reads at its deadline, in environment time', async () => {
  const real = await createIn('Real time')
  const ahead = await createIn('Ahead', 20)
  await reapAt(5)
  expect((await rowOf(real)).status).toBe('requires_payment_method')
  expect(await rowOf(ahead)).toMatchObject({ status: 'expired', at: after(24) })
  await reapAt(24)
  expect((await rowOf(real)).status).toBe('expired')
})

for (const [what, hoursAhead] of [
  ['of real time', 0],
  ['of a clock that is three days behind', -72],
] as const) {
  test(`stores an idempotency key for 48 hours ${what}`, async () => {
    const id = await createIn(`Keys ${hoursAhead}`, hoursAhead)
    await reapAt(47)
    expect((await rowOf(id)).hasKey).toBe(true)
    await reapAt(48)
    expect((await rowOf(id)).hasKey).toBe(false)
  })
}

test('rolls its batch back at a stop', async () => {
  await db.query`
    insert into payment_intents (id, environment_id, amount, currency, order_id, secret_salt,
                                 secret_kid, expires_at, created_at, updated_at)
    select 'pi_' || lpad(n::text, 24, '0'), 'env_other', 1, 'EUR', 'A', ${randomSalt(16)}, 'k1',
           ${start}, ${after(-1)}, ${after(-1)}
      from generate_series(1, 1000) n`
  const open = async (): Promise<number> =>
    (
      await db.query`
        select from payment_intents
         where environment_id = 'env_other' and status = 'requires_payment_method'`
    ).length
  const stopping = new AbortController()
  let moves = 0
  const counted = {
    ...db,
    transaction: async <Result>(work: Parameters<typeof db.transaction<Result>>[0]) =>
      await db.transaction<Result>(
        async (tx) =>
          await work(
            observed({ ...db, ...tx }, (text) => {
              // In the middle of the second batch.
              if (text.includes('with moved') && ++moves === 75) stopping.abort()
            }),
          ),
      ),
  }
  const now = (): Date => after(1)
  await expect(reap({ db: counted, now }, stopping.signal)).rejects.toThrow()
  expect([moves, await open()]).toEqual([75, 950])
  await reapAt(1, AbortSignal.abort())
  expect(await open()).toBe(950)
})

test('deletes final intents after the retention time, and only those', async () => {
  const days = (count: number): Date => after(24 * count)
  const { id: environmentId } = await ensureEnvironment(
    db,
    { merchant: 'Old', mode: 'test' },
    start,
  )
  const rows = [
    ['old', days(-40), days(-31), false],
    ['recently final', days(-40), days(-29), false],
    ['created a day before', days(-30.9), days(-30.5), false],
    ['not final', days(-40), null, false],
    ['with a key', days(-40), days(-31), true],
  ] as const
  for (const [id, createdAt, finalizedAt, hasKey] of rows) {
    const key = hasKey ? Buffer.alloc(32, 7) : null
    await db.query`
      insert into payment_intents (id, environment_id, amount, currency, order_id, secret_kid, status,
                                   finalized_at, expires_at, created_at, updated_at, payment_method,
                                   idempotency_hash, idempotency_fingerprint, idempotency_expires_at)
      values (${id}, ${environmentId}, 1, 'EUR', 'A', 'k1',
              ${finalizedAt ? 'canceled' : 'processing'}, ${finalizedAt}, ${days(1)},
              ${createdAt}, ${createdAt}, ${finalizedAt ? null : '{}'}::json,
              ${key}, ${key}, ${hasKey ? days(1) : null})`
  }
  const kept = async () => {
    const found = await db.query<{ id: string }>`
      select id from payment_intents where environment_id = ${environmentId} order by id`
    return found.map(({ id }) => id)
  }
  await reapAt(0)
  expect(await kept()).toHaveLength(5)
  await reap({ db, now: () => start, retentionDays: 30 })
  expect(await kept()).toEqual([
    'created a day before',
    'not final',
    'recently final',
    'with a key',
  ])
})
