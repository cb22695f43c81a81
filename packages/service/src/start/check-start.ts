/** Checks whether a start would succeed, with the code of a start. Changes nothing. @module */
import { compareClocks, maxDifference, realNow } from '../clock.ts'
import { type Config, type Flags, readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { containsStore } from '../db/embedded/data-directory.ts'
import { readOnly, StoreError } from '../db/errors.ts'
import { pendingMigrations } from '../db/migrate.ts'
import { assertKeys, openUnchanged } from './open-store.ts'
import { startProblem } from './start-problem.ts'

/** Output of `start --check --json`. Each text has its fix. */
export interface StartCheck {
  readonly ok: boolean
  readonly problems: readonly string[]
  /** What a start accepts, and an operator should know. */
  readonly warnings: readonly string[]
}

export async function checkStart(flags: Flags, env: NodeJS.ProcessEnv): Promise<StartCheck> {
  try {
    const config = readConfig(flags, env)
    const warnings = [...addressWarning(config), ...(await checkStore(config))]
    return { ok: true, problems: [], warnings }
  } catch (error) {
    const problem = startProblem(error)
    if (problem === undefined) throw error
    return { ok: false, problems: problem.split('\n'), warnings: [] }
  }
}

function addressWarning({ publicUrl, trustedProxies }: Config): readonly string[] {
  if (!publicUrl?.startsWith('https:') || trustedProxies) return []
  return [
    'PI_TRUSTED_PROXIES: is not set although PI_PUBLIC_URL is, so no limit counts by client address. Set the addresses of your proxies, such as 127.0.0.1.',
  ]
}

async function checkStore(config: Config): Promise<readonly string[]> {
  const { store } = config
  // A directory that was created here could belong to another user than that of the service.
  if (store.kind === 'directory' && !(await containsStore(store.directory))) return []
  const { db, keys, close } = await openUnchanged(config)
  try {
    const warnings = [...(await durabilityWarning(db)), ...(await clockWarning(db))]
    const pending = await pendingMigrations(db)
    if (pending.length > 0) return [...warnings, ...(await schemaWarning(db, pending))]
    await assertKeys(db, keys)
    return warnings
  } finally {
    await close()
  }
}

async function schemaWarning(db: Database, pending: readonly number[]): Promise<readonly string[]> {
  const [table] = await db.query`select where to_regclass('migrations') is not null`
  if (!table) return []
  return [`The start applies the schema changes ${pending.join(', ')}. Make a backup first.`]
}

async function durabilityWarning(db: Database): Promise<readonly string[]> {
  const [settings] = await db.query<{ readOnly: string; durable: boolean }>`
    select current_setting('transaction_read_only') as "readOnly",
           current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off'
             and current_setting('full_page_writes') = 'on' as durable`
  if (settings?.readOnly === 'on') throw new StoreError(readOnly)
  if (db.kind === 'pglite' || settings?.durable) return []
  return [
    'A power cut may lose acknowledged intents. Set fsync, full_page_writes, and synchronous_commit to on in the configuration of PostgreSQL.',
  ]
}

async function clockWarning(db: Database): Promise<readonly string[]> {
  if (db.kind === 'pglite') return []
  const difference = Math.abs((await compareClocks(db, realNow)).difference)
  if (difference <= maxDifference) return []
  return [
    `The clocks of this machine and the database differ by ${difference} ms. Run a time service such as chrony on both. Beyond 60 seconds an instance is not ready.`,
  ]
}
