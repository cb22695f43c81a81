/**
 * Checks an open store without changing it: whether it accepts and keeps writes, whether its schema and keys
 * are those of this program, and which origins may show its checkout.
 *
 * @module
 */

import { shellQuote } from '../../../shared/shell-quote.ts'
import type { Database } from '../../db/database.ts'
import { pendingMigrations } from '../../db/migrate.ts'
import { type ListedEnvironment, listEnvironments } from '../../merchants/merchants.ts'
import { keyFault, type SecretKeys } from '../../secret-keys.ts'
import { type DoctorFinding, fail, ok, warn } from './doctor-finding.ts'

/** Examines a store that is open. */
export async function examineStore({
  db,
  keys,
  now,
  storeOptions = '',
}: {
  readonly db: Database
  /** `undefined`: there are none yet, and a start makes them. */
  readonly keys: SecretKeys | undefined
  readonly now: () => Date
  /** With which a command reaches this store. */
  readonly storeOptions: string | undefined
}): Promise<DoctorFinding[]> {
  const pending = await pendingMigrations(db)
  const findings = [await examineWrites(db), schemaFinding(pending), await examineClock(db, now)]
  // What follows reads tables that an unfinished schema may not have.
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
    return fail(
      'store',
      'It is open, and takes no writes.',
      'Name the primary server, not a standby, and leave default_transaction_read_only off.',
    )
  }
  if (settings?.durable) return ok('store', 'It is open, takes writes and syncs each commit.')
  return warn(
    'store',
    'It is open and takes writes, and a power cut may lose what it has acknowledged.',
    db.kind === 'pglite'
      ? 'It is in memory: give --data or --database-url where anything is to stay.'
      : 'Set fsync, full_page_writes and synchronous_commit to on in the server’s configuration.',
  )
}

function schemaFinding(pending: readonly number[]): DoctorFinding {
  if (pending.length === 0) return ok('schema', 'It is the newest.')
  return warn(
    'schema',
    `${pending.length} migrations are missing: ${pending.join(', ')}.`,
    'Make a backup; the next start of this version applies them.',
  )
}

/** How far clocks may differ before deadlines are visibly wrong, in milliseconds. */
const tolerance = 2000

async function examineClock(db: Database, now: () => Date): Promise<DoctorFinding> {
  const begin = now().getTime()
  const [server] = await db.query<{ at: Date }>`select clock_timestamp() as at`
  const middle = (begin + now().getTime()) / 2
  const apart = Math.round((server?.at.getTime() ?? middle) - middle)
  if (Math.abs(apart) <= tolerance) return ok('clock', `It reads ${now().toISOString()}.`)
  return fail(
    'clock',
    `The clocks of this machine and of the database are ${Math.abs(apart)} ms apart.`,
    'Run a time service such as chrony on both: deadlines and expiries are times of this machine.',
  )
}

async function examineKeys(db: Database, keys: SecretKeys | undefined): Promise<DoctorFinding> {
  if (!keys) {
    const [used] = await db.query`select from payment_intents limit 1`
    return used
      ? fail('secret keys', 'There are none, and intents need them.', 'Restore PI_SECRET_KEYS.')
      : ok('secret keys', 'There are none yet; the first start makes them.')
  }
  const wrong = await keyFault(db, keys)
  if (!wrong) return ok('secret keys', `${keys.kids.join(', ')}: all that stored rows need.`)
  return fail('secret keys', `${wrong.problem}.`, `Set PI_SECRET_KEYS: ${wrong.fix}.`)
}

async function examineEnvironments(
  db: Database,
  { now, storeOptions }: { readonly now: Date; readonly storeOptions: string },
): Promise<DoctorFinding[]> {
  const environments = await listEnvironments(db, now)
  if (environments.length === 0) {
    return [ok('merchants', 'There is none yet; the first start makes one with a test key.')]
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
    return warn(about, 'It has no working key.', `Run pi-service keys create ${options}.`)
  }
  const keys = `${workingKeys} working ${workingKeys === 1 ? 'key' : 'keys'}`
  if (origins.length === 0) {
    return warn(
      about,
      `It has ${keys} and no registered origin, so no page can show its checkout.`,
      `Run pi-service origins add ORIGIN ${options}.`,
    )
  }
  const local = origins.filter((origin) => !origin.startsWith('https://'))
  const found = `${keys}; pages of ${origins.join(', ')} may show its checkout.`
  if (mode === 'test' || local.length === 0) return ok(about, found)
  return warn(
    about,
    found,
    `A page of ${local.join(', ')} is not protected on its way; register https origins for live.`,
  )
}
