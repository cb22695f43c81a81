/** Checks an open store without changing it. @module */
import { shellQuote } from '../../../shared/shell-quote.ts'
import { compareClocks, maxDifference } from '../../clock.ts'
import type { Database } from '../../db/database.ts'
import { readOnly, StoreError } from '../../db/errors.ts'
import { pendingMigrations } from '../../db/migrate.ts'
import type { StoreAndClock } from '../../intents/intents.ts'
import { type ListedEnvironment, listEnvironments } from '../../merchants/merchants.ts'
import { keyFault, type SecretKeys } from '../../secret-keys.ts'
import { unusableStore } from '../unusable-store.ts'
import { type DoctorFinding, fail, ok, warn } from './doctor-finding.ts'

export async function examineStore({
  db,
  keys,
  now,
  storeOptions = '',
}: StoreAndClock & {
  /** Secret keys. `undefined` before the first start, which creates them. */
  readonly keys: SecretKeys | undefined
  readonly storeOptions: string | undefined
}): Promise<DoctorFinding[]> {
  const pending = await pendingMigrations(db)
  const findings = [await examineWrites(db), schemaFinding(pending), await examineClock(db, now)]
  // The other checks read tables that pending migrations may create.
  if (pending.length > 0) return findings
  return [
    ...findings,
    await examineKeys(db, keys),
    ...(await examineEnvironments(db, { now: now(), storeOptions })),
  ]
}

async function examineWrites(db: Database): Promise<DoctorFinding> {
  const [settings] = await db.query<{ readOnly: string; durable: boolean }>`
    select current_setting('transaction_read_only') as "readOnly",
           current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off'
             and current_setting('full_page_writes') = 'on' as durable`
  if (settings?.readOnly === 'on') {
    const { found, advice } = unusableStore(new StoreError(readOnly))
    return fail('store', found, advice)
  }
  if (settings?.durable) return ok('store', 'Writable, and each commit is synced to disk.')
  return warn(
    'store',
    'Writable, but a power cut may lose acknowledged intents.',
    db.kind === 'pglite'
      ? 'The store is in memory. Use --data or --database-url to keep its intents.'
      : 'Set fsync, full_page_writes, and synchronous_commit to on in the configuration of PostgreSQL.',
  )
}

function schemaFinding(pending: readonly number[]): DoctorFinding {
  if (pending.length === 0) return ok('schema', 'Up to date.')
  if (pending.includes(1)) return ok('schema', 'None yet. The first start creates it.')
  return warn(
    'schema',
    `Migrations not applied yet: ${pending.join(', ')}.`,
    'Make a backup. The next start of this version applies them.',
  )
}

async function examineClock(db: Database, now: () => Date): Promise<DoctorFinding> {
  const difference = Math.abs((await compareClocks(db, now)).difference)
  if (difference <= maxDifference)
    return ok('clock', `In agreement with the database: ${now().toISOString()}.`)
  return fail(
    'clock',
    `The clocks of this host and the database differ by ${difference} ms.`,
    'Run a time service such as chrony on both. Beyond 2 seconds instances use the time of the database, beyond 60 they are not ready.',
  )
}

async function examineKeys(db: Database, keys: SecretKeys | undefined): Promise<DoctorFinding> {
  if (!keys) {
    const [used] = await db.query`select from payment_intents limit 1`
    return used
      ? fail('secret keys', 'Not set, but stored intents need them.', 'Restore PI_SECRET_KEYS.')
      : ok('secret keys', 'The first start creates them.')
  }
  const wrong = await keyFault(db, keys)
  if (!wrong) return ok('secret keys', `${keys.kids.join(', ')}: complete for the stored rows.`)
  return fail('secret keys', `${wrong.problem}.`, `Correct PI_SECRET_KEYS. ${wrong.fix}`)
}

async function examineEnvironments(
  db: Database,
  { now, storeOptions }: { readonly now: Date; readonly storeOptions: string },
): Promise<DoctorFinding[]> {
  const environments = await listEnvironments(db, now)
  if (environments.length === 0) {
    if (db.kind !== 'postgres') {
      return [ok('merchants', 'The first start creates one with a test key.')]
    }
    const options = `--merchant NAME --environment test${storeOptions}`
    return [warn('merchants', 'None.', `Run pi-service keys create ${options}.`)]
  }
  return environments.map((environment) => environmentFinding(environment, storeOptions))
}

function environmentFinding(
  { merchant, environment: mode, origins, workingKeys }: ListedEnvironment,
  storeOptions: string,
): DoctorFinding {
  const about = `${merchant} (${mode})`
  const options = `--merchant ${shellQuote(merchant)} --environment ${mode}${storeOptions}`
  if (workingKeys === 0) {
    return warn(about, 'No valid key.', `Run pi-service keys create ${options}.`)
  }
  const keys = `${workingKeys} valid ${workingKeys === 1 ? 'key' : 'keys'}`
  if (origins.length === 0) {
    return warn(
      about,
      `${keys}, but no registered origin, so no page can show its checkout.`,
      `Run pi-service origins add ORIGIN ${options}.`,
    )
  }
  const local = origins.filter((origin) => !origin.startsWith('https://'))
  const found = `${keys}; registered origins: ${origins.join(', ')}.`
  if (mode === 'test' || local.length === 0) return ok(about, found)
  return warn(about, found, `${local.join(', ')} has no TLS. Register https origins for live.`)
}
