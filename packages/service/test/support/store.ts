/** A store with merchants, and intents for it. @module */
import type { Database, SqlValue } from '../../src/db/database.ts'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { migrate } from '../../src/db/migrate.ts'
import { randomSalt } from '../../src/ids.ts'
import { draftIntent } from '../../src/intents/create.ts'
import type { IdempotencyHashes } from '../../src/intents/idempotency.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { atEnd } from './lifetime.ts'

/** Opens an embedded store with three environments of two merchants; in memory, unless it gets a folder. */
export async function openTestStore(folder?: string): Promise<Database> {
  const db = await openPglite(folder)
  const close = atEnd(() => db.close())
  await migrate(db)
  await addMerchants(db)
  return { ...db, close }
}

/** Creates `env_test` and `env_live` of one merchant, and `env_other` of a later one. */
export async function addMerchants(db: Database): Promise<void> {
  for (const [merchant, name, createdAt] of [
    ['mer_teahouse', 'Ararat Tea House', '2026-01-01T00:00:00Z'],
    ['mer_books', 'Sevan Books', '2026-01-02T00:00:00Z'],
  ] as const) {
    await db.query`
      insert into merchants (id, name, created_at) values (${merchant}, ${name}, ${createdAt})`
  }
  for (const [id, merchant, mode] of [
    ['env_test', 'mer_teahouse', 'test'],
    ['env_live', 'mer_teahouse', 'live'],
    ['env_other', 'mer_books', 'test'],
  ] as const) {
    await db.query`
      insert into environments (id, merchant_id, mode, idempotency_salt, created_at)
      values (${id}, ${merchant}, ${mode}, ${randomSalt(32)}, ${new Date()})`
  }
}

/** Returns an intent as the API passes it to the store. */
export function newIntent(changes: Partial<Intent> = {}): Intent {
  const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' } as const
  const created = { environmentId: 'env_test', secretKid: 'k1', body, createdAt: new Date() }
  return { ...draftIntent(created), ...changes }
}

/** Returns hashes of a key and of a body: 64 digits each. */
export function hashes(key: number, body = 1): IdempotencyHashes {
  const hash = (byte: number): string => Buffer.alloc(32, byte).toString('hex')
  return { hash: hash(key), fingerprint: hash(body) }
}

/** Returns the store with a function that is called before each statement. */
export function observed(
  db: Database,
  onQuery: (text: string, values: readonly SqlValue[]) => unknown,
): Database {
  return {
    ...db,
    query: async <Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]) => {
      await onQuery(text.join(''), values)
      return await db.query<Row>(text, ...values)
    },
  }
}
