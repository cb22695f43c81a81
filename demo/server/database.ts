/** The shop's database: one file on disk, so that orders survive a restart. @module */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Libsql from 'libsql'

export type Database = Libsql.Database

/**
 * Opens the database in a folder. Creates both if they are missing.
 *
 * @param folder - Contains `shop.db`.
 */
export function openDatabase(folder: string): Database {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = new Libsql(join(folder, 'shop.db'))
  db.exec('pragma journal_mode = wal')
  db.exec('pragma synchronous = full')
  db.exec('pragma busy_timeout = 5000')
  db.exec('pragma foreign_keys = on')
  db.exec(schema)
  return db
}

// Amounts are minor units. An order points at its current intent; older ones stay in order_intents,
// because a payment for one of them must be detected.
const schema = `
  create table if not exists preferences (
    session text primary key,
    language text,
    currency text
  ) strict;

  create table if not exists cart_lines (
    session text not null,
    product text not null,
    quantity integer not null check (quantity between 1 and 20),
    primary key (session, product)
  ) strict;

  create table if not exists orders (
    id text primary key,
    session text not null,
    currency text not null,
    amount integer not null check (amount > 0),
    state text not null check (state in ('open', 'processing', 'paid', 'failed')),
    attempt integer not null default 1,
    intent text,
    placed_at text not null,
    paid_at text,
    paid_with text,
    check ((state = 'paid') = (paid_at is not null))
  ) strict;
  create index if not exists orders_by_session on orders (session, placed_at);

  create table if not exists order_lines (
    order_id text not null references orders on delete cascade,
    product text not null,
    quantity integer not null,
    price integer not null,
    primary key (order_id, product)
  ) strict;

  create table if not exists order_intents (
    id text primary key,
    order_id text not null references orders,
    amount integer not null,
    currency text not null,
    attempt integer not null,
    lines text not null,
    made_at text not null,
    verdict text
  ) strict;
  create index if not exists order_intents_by_order on order_intents (order_id, made_at);
`
