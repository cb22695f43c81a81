/** Stores with merchants, and intents for them. @module */

import type { IdempotencyHashes } from '../../src/intents/idempotency.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { draftIntent } from '../../src/intents/store.ts'
import type { Database } from '../../src/store/database.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { migrate } from '../../src/store/schema.ts'
import { type Statement, sql } from '../../src/store/sql.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { atEnd, startPostgres } from './lifetime.ts'

/** Opens an embedded store with three environments of two merchants; in memory, unless it gets a file. */
export async function openTestStore(file?: string): Promise<Database> {
  return await withMerchants(openSqlite(file))
}

/** Starts PostgreSQL with the same merchants. */
export async function openTestPostgres(): Promise<Database & { readonly url: string }> {
  const { url } = await startPostgres()
  return { ...(await withMerchants(await openPostgres(url))), url }
}

/** Both kinds of stores, for tests of what they have in common. */
export const stores = [
  ['SQLite', async () => await openTestStore()],
  ['PostgreSQL', openTestPostgres],
] as const

/** Creates `env_test` and `env_live` of one merchant, and `env_other` of a later one. */
async function withMerchants(db: Database): Promise<Database> {
  const close = atEnd(() => db.close())
  await migrate(db)
  await db.query(insertEnvironment('env_test', 'Ararat Tea House', 'test'))
  await db.query(insertEnvironment('env_live', 'Ararat Tea House', 'live'))
  await db.query(insertEnvironment('env_other', 'Sevan Books', 'test'))
  return { ...db, close }
}

export function insertEnvironment(id: string, merchant: string, mode: string): Statement {
  return sql`
    insert into environments (id, merchant_name, mode, created_at)
    values (${id}, ${merchant}, ${mode}, ${Date.now()})`
}

/** Returns an intent as the API passes it to the store. */
export function newIntent(changes: Partial<Intent> = {}): Intent {
  const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' } as const
  return { ...draftIntent({ environmentId: 'env_test', body, createdAt: new Date() }), ...changes }
}

/** Returns hashes of a key and of a body: 64 digits each. */
export function hashes(key: number, body = 1): IdempotencyHashes {
  const hash = (number: number): string => number.toString(16).padStart(64, '0')
  return { hash: hash(key), fingerprint: hash(body) }
}

/** Returns the store with a function that is called before each statement. */
export function observed(db: Database, onQuery: (statement: Statement) => unknown): Database {
  return {
    ...db,
    query: async (statement) => {
      await onQuery(statement)
      return await db.query(statement)
    },
  }
}
