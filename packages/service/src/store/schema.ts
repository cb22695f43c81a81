/**
 * Creates the tables of a new store, in the words that both stores have. No column holds a card number, a security code,
 * a clientSecret, or an API key. Times are milliseconds, JSON is text, and hashes are hexadecimal.
 *
 * @module
 */
import { ExplainedError } from '../explained-error.ts'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import { sql } from './sql.ts'

/** Version of the tables below. */
const current = 2

/**
 * Instances that start at the same time wait for each other.
 *
 * @throws {ExplainedError} If the store has the tables of another version.
 */
export async function migrate(db: Database): Promise<void> {
  const version = await versionOf(db)
  // An existing store is not touched, because the script would lock its tables for other instances.
  if (version === undefined) await db.script(schema)
  else if (version !== current) {
    throw new ExplainedError(
      `The store has tables of version ${version}, and this release has version ${current}. Use an empty directory or database, or delete this one with its intents and keys.`,
    )
  }
}

async function versionOf(db: Database): Promise<number | undefined> {
  try {
    const [row] = await db.query<{ version: number }>(sql`select version from store`)
    return row?.version
  } catch (error) {
    if (error instanceof StoreError && noTable.has(error.code)) return undefined
    throw error
  }
}

const noTable: ReadonlySet<string> = new Set(['42P01', 'SQLITE_ERROR'])

const schema = `
create table if not exists store (
  version integer primary key,
  -- Shows whether the secret key is the one that this store was created with.
  key_check text
);
insert into store (version) values (${current}) on conflict (version) do nothing;

create table if not exists environments (
  id text primary key,
  merchant_name text not null check (length(merchant_name) between 1 and 128),
  mode text not null check (mode in ('test', 'live')),
  allowed_origins text not null default '[]',
  clock_offset bigint not null default 0,
  created_at bigint not null,
  unique (merchant_name, mode),
  check (mode = 'test' or clock_offset = 0)
);

create table if not exists api_keys (
  id text primary key,
  environment_id text not null references environments on delete cascade,
  hash text not null unique,
  -- Prefix and last four characters: enough to tell keys apart.
  display text not null,
  created_at bigint not null,
  revoked_at bigint
);
create index if not exists api_keys_environment on api_keys (environment_id);

-- One row for each intent. Columns are what the merchant sent and what statements ask about.
-- All times are those of the environment.
create table if not exists intents (
  id text primary key,
  environment_id text not null references environments on delete cascade,
  -- Increases with each write of the state. A write compares it.
  revision integer not null default 1,
  amount bigint not null check (amount between 1 and 9007199254740991),
  currency text not null check (currency in ('AMD', 'USD', 'EUR', 'RUB')),
  order_id text not null check (length(order_id) between 1 and 32),
  customer text,
  metadata text,
  -- Confirmations, events, and the open challenge. null: nothing has happened.
  state text,
  created_at bigint not null,
  key_hash text,
  key_fingerprint text,
  check ((key_hash is null) = (key_fingerprint is null)),
  -- The hash leads, as in no other index, so that a key is never searched in a whole environment.
  unique (key_hash, environment_id)
);

-- Lists show the newest first.
create index if not exists intents_newest on intents (environment_id, created_at);`
