/** Checks whether a start would succeed, with the code of a start. Changes nothing. @module */
import { createServer } from 'node:http'
import { compareClocks, maxDifference, realNow } from '../clock.ts'
import { type Config, type Flags, readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { containsStore } from '../db/embedded/data-directory.ts'
import { readOnly, StoreError } from '../db/errors.ts'
import { pendingMigrations } from '../db/migrate.ts'
import { listenBoth } from '../http/server.ts'
import { assertKeys, openUnchanged } from './open-store.ts'
import { startProblem } from './start-problem.ts'

interface Findings {
  readonly passed: readonly string[]
  /** What a start accepts, or what another program may change before it. Each text has its fix. */
  readonly warnings: readonly string[]
  /** Why a start fails. Each text has its fix. */
  readonly problems: readonly string[]
}

/** Output of `start --check --json`. */
export interface StartCheck extends Findings {
  readonly ok: boolean
}

export async function checkStart(flags: Flags, env: NodeJS.ProcessEnv): Promise<StartCheck> {
  const checks: (() => Promise<Partial<Findings>>)[] = []
  const found = [
    await attempt(async () => {
      const config = readConfig(flags, env)
      checks.push(
        async () => ({ warnings: addressWarning(config) }),
        async () => await checkPorts(config),
        async () => await checkStore(config),
      )
      return { passed: ['The settings are valid.'] }
    }),
  ]
  for (const check of checks) found.push(await attempt(check))
  const all = (name: keyof Findings): string[] => found.flatMap((each) => each[name] ?? [])
  const problems = all('problems')
  return { ok: problems.length === 0, passed: all('passed'), warnings: all('warnings'), problems }
}

/** Runs a check. What a start would throw is its problem. */
async function attempt(check: () => Promise<Partial<Findings>>): Promise<Partial<Findings>> {
  try {
    return await check()
  } catch (error) {
    const problem = startProblem(error)
    if (problem === undefined) throw error
    return { problems: problem.split('\n') }
  }
}

/** Opens and closes both ports. */
async function checkPorts({ host, ...config }: Config): Promise<Partial<Findings>> {
  const servers = [createServer(), createServer()] as const
  try {
    await listenBoth(servers, { host, ...config })
    const { port, challengePort } = config
    if (port === 0) return {}
    return { passed: [`The ports ${port} and ${challengePort} of ${host} are free.`] }
  } finally {
    for (const server of servers) server.close()
  }
}

function addressWarning({ publicUrl, trustedProxies }: Config): readonly string[] {
  if (!publicUrl?.startsWith('https:') || trustedProxies) return []
  return [
    'PI_TRUSTED_PROXIES: is not set although PI_PUBLIC_URL is, so no limit counts by client address. Set the addresses of your proxies, such as 127.0.0.1.',
  ]
}

async function checkStore(config: Config): Promise<Partial<Findings>> {
  const { store } = config
  // A directory that was created here could belong to another user than that of the service.
  if (store.kind === 'directory' && !(await containsStore(store.directory))) {
    return { passed: [`The first start creates the store in ${store.directory}.`] }
  }
  const { db, keys, close } = await openUnchanged(config)
  try {
    const warnings = [...(await durabilityWarning(db)), ...(await clockWarning(db))]
    const pending = await pendingMigrations(db)
    if (pending.length > 0)
      return { warnings: [...warnings, ...(await schemaWarning(db, pending))] }
    await assertKeys(db, keys)
    return { passed: ['The store opens, and the secret keys are those of its rows.'], warnings }
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
