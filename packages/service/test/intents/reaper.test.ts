import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database, SqlValue } from '../../src/db/database.ts'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { migrate } from '../../src/db/migrate.ts'
import { randomBase62, randomSalt } from '../../src/ids.ts'
import { createBatch } from '../../src/intents/create-batch.ts'
import { reap } from '../../src/intents/reaper.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'

const start = new Date('2026-11-20T12:00:00.000Z')
const hour = 60 * 60 * 1000

let db: Database

beforeAll(async () => {
  db = await openPglite(undefined)
  await migrate(db)
})

afterAll(async () => await db.close())

async function createIn(merchant: string, clockOffset = 0, createdAt = start): Promise<string> {
  const { id: environmentId } = await ensureEnvironment(db, { merchant, mode: 'test' }, start)
  await db.query`update environments set clock_offset = ${clockOffset} where id = ${environmentId}`
  const id = `pi_${randomBase62(24)}`
  await createBatch(db)({
    id,
    environmentId,
    secretKid: 'k1',
    secretSalt: randomSalt(16),
    body: { amount: 1, currency: 'EUR', orderId: 'A' },
    createdAt,
    idempotency: {
      hash: randomSalt(32).toString('hex'),
      fingerprint: randomSalt(32).toString('hex'),
    },
  })
  return id
}

async function rowOf(id: string): Promise<{ status: string; at: Date; key: Buffer | null }> {
  const [row] = await db.query<{ status: string; at: Date; key: Buffer | null }>`
    select status, updated_at as at, idempotency_hash as key from payment_intents where id = ${id}`
  if (!row) throw new Error('missing')
  return row
}

function after(hours: number): { db: Database; now: () => Date } {
  return { db, now: () => new Date(start.getTime() + hours * hour) }
}

test('expires an intent that no request reads at its deadline, in environment time', async () => {
  const real = await createIn('Real time')
  const ahead = await createIn('Ahead', 20 * hour)
  await reap(after(5))
  expect((await rowOf(real)).status).toBe('requires_payment_method')
  expect(await rowOf(ahead)).toMatchObject({
    status: 'expired',
    at: new Date('2026-11-21T12:00:00.000Z'),
  })
  await reap(after(24))
  expect((await rowOf(real)).status).toBe('expired')
})

test('an idempotency key is kept for 48 hours and then let go', async () => {
  const id = await createIn('Keys')
  await reap(after(47))
  expect((await rowOf(id)).key).not.toBeNull()
  await reap(after(48))
  expect((await rowOf(id)).key).toBeNull()
})

test('in a sandbox whose clock is three days behind a key is kept for 48 hours of that clock', async () => {
  const behind = new Date(start.getTime() - 72 * hour)
  const id = await createIn('Behind', -72 * hour, behind)
  await reap(after(47))
  expect((await rowOf(id)).key).not.toBeNull()
  await reap(after(48))
  expect((await rowOf(id)).key).toBeNull()
})

test('a stop ends a round inside its batch, and rolls that batch back', async () => {
  const { id: environmentId } = await ensureEnvironment(
    db,
    { merchant: 'Many', mode: 'test' },
    start,
  )
  const earlier = new Date(start.getTime() - hour)
  await db.query`
    insert into payment_intents (id, environment_id, amount, currency, order_id, secret_salt,
                                 secret_kid, expires_at, created_at, updated_at)
    select 'pi_' || lpad(n::text, 24, '0'), ${environmentId}, 1, 'EUR', 'A', ${randomSalt(16)}, 'k1',
           ${start}, ${earlier}, ${earlier}
      from generate_series(1, 1000) n`
  const stopping = new AbortController()
  let moves = 0
  const counted: Database = {
    ...db,
    transaction: async (work) =>
      await db.transaction(
        async (tx) =>
          await work({
            ...tx,
            query: async <Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]) => {
              // In the middle of the second batch.
              if (text.join('').includes('with moved') && ++moves === 300) stopping.abort()
              return await tx.query<Row>(text, ...values)
            },
          }),
      ),
  }
  await expect(reap({ db: counted, now: after(1).now }, stopping.signal)).rejects.toThrow()
  expect(moves).toBe(300)
  const [left] = await db.query<{ count: number }>`
    select count(*) as count from payment_intents
     where environment_id = ${environmentId} and status = 'requires_payment_method'`
  expect(left?.count).toBe(800)
  await reap(after(1), AbortSignal.abort())
  expect((await rowOf(`pi_${'1'.padStart(24, '0')}`)).status).toBe('expired')
  const [same] = await db.query<{ count: number }>`
    select count(*) as count from payment_intents
     where environment_id = ${environmentId} and status = 'requires_payment_method'`
  expect(same?.count).toBe(800)
})
