/** Migrates the store to the newest schema with numbered SQL files. @module */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../package-root.ts'
import type { Database } from './database.ts'

// The package includes the source, so the files are read from there.
const folder = join(packageRoot, 'src/db/migrations')

/** Applies pending migrations. Other instances that start at the same time wait for them. */
export async function migrate(database: Database): Promise<void> {
  const pending = new Set(await pendingMigrations(database))
  for (const { file, version } of await migrations()) {
    if (!pending.has(version)) continue
    const sql = await readFile(join(folder, file), 'utf8')
    await database.script(migration(version, sql))
  }
}

/** Lists the versions that a start would apply. */
export async function pendingMigrations(database: Database): Promise<number[]> {
  const [table] = await database.query<{ exists: boolean }>`
    select to_regclass('migrations') is not null as exists`
  const applied = table?.exists
    ? await database.query<{ version: number }>`select version from migrations`
    : []
  const done = new Set(applied.map(({ version }) => version))
  return (await migrations()).map(({ version }) => version).filter((version) => !done.has(version))
}

async function migrations(): Promise<{ readonly file: string; readonly version: number }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return files.map((file) => ({ file, version: Number.parseInt(file, 10) }))
}

/** Returns a script with lock, check, and migration in one transaction, so that none is applied partly. */
function migration(version: number, sql: string): string {
  return `
    set local lock_timeout = 0;
    set local statement_timeout = 0;
    select pg_advisory_xact_lock(${lock});
    create table if not exists migrations (version integer primary key, applied_at timestamptz not null default now());
    do $migration$ begin
      if exists (select from migrations where version = ${version}) then return; end if;
      ${sql}
      insert into migrations (version) values (${version});
    end $migration$;`
}

// Starts with 'pi', because all programs that use a database share its advisory locks.
const lock = 0x70690001
