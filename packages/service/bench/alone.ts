/**
 * The store without HTTP, and one bare statement without the store: what a request adds to them.
 *
 * @module
 */
import { once } from 'node:events'
import pg from 'pg'
import type { Database } from '../src/db/database.ts'
import { randomBase62, randomSalt } from '../src/identifiers.ts'
import { creations } from '../src/intents/creation.ts'
import type { Load } from './contestants.ts'

/** So many creates waiting, in this process. Returns how many a second. */
export async function createAlone(
  database: Database,
  { concurrency, seconds }: Load,
): Promise<number> {
  const create = creations(database)
  const [row] = await database.query<{ id: string }>`select id from environments limit 1`
  const environmentId = String(row?.id)
  return await perSecond({ concurrency, seconds }, async () => {
    await create({
      ...{ id: `pi_${randomBase62(24)}`, environmentId, secretKid: 'k1' },
      secretSalt: randomSalt(16),
      body: { amount: 150000, currency: 'AMD', orderId: 'A-1001' },
      createdAt: new Date(),
      idempotency: {
        hash: randomSalt(32).toString('hex'),
        fingerprint: randomSalt(32).toString('hex'),
      },
    })
  })
}

/** One prepared insert after the other, each a commit. Returns its round trips per second. */
export async function insertBare(url: string, seconds: number): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query('select id from environments limit 1')
  const result = await perSecond({ concurrency: 1, seconds }, async () => {
    await client.query({
      name: 'insert',
      text: `
        insert into payment_intents (
          id, environment_id, amount, currency, order_id, secret_salt, secret_kid,
          idempotency_hash, idempotency_fingerprint, idempotency_expires_at,
          expires_at, created_at, updated_at)
        values ($1, $2, 150000, 'AMD', 'A-1001', $3, 'k1', $4, $5, now() + interval '2 days',
                now() + interval '1 day', now(), now())`,
      values: [
        ...[`pi_${randomBase62(24)}`, rows[0]?.id],
        ...[randomSalt(16), randomSalt(32), randomSalt(32)],
      ],
    })
  })
  const ended = once(client, 'end')
  await Promise.all([client.end(), ended])
  return result
}

async function perSecond(
  { concurrency, seconds }: Load,
  work: () => Promise<void>,
): Promise<number> {
  const begin = performance.now()
  const end = begin + seconds * 1000
  let count = 0
  const one = async (): Promise<void> => {
    for (; performance.now() < end; count++) await work()
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  return count / ((performance.now() - begin) / 1000)
}
