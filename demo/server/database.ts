/** The shop's database: one file on disk, so that orders survive a restart. @module */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sqlPaymentsTable } from '@pi-checkout/server'
import Libsql from 'libsql'

export type Database = Libsql.Database

/**
 * Opens the database in a folder. Creates both if they are missing.
 *
 * @param folder - Contains `tsiran.db`. Only its owner can open it.
 */
export function openDatabase(folder: string): Database {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = new Libsql(join(folder, 'tsiran.db'))
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000')
  db.exec(schema)
  db.exec(sqlPaymentsTable.sqlite)
  return db
}

// Amounts are minor units. An order never changes: it is paid, or closed.
const schema = `
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
    placed_at text not null,
    closed_at text,
    paid_by text,
    paid_at text
  ) strict;
  create index if not exists orders_by_session on orders (session);

  create table if not exists order_lines (
    order_id text not null,
    product text not null,
    quantity integer not null,
    price integer not null,
    primary key (order_id, product)
  ) strict;

  create table if not exists reviews (order_id text primary key) strict;
`
