/** Checks a service before or while it runs, without changing it. Each finding has a fix. @module */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { realNow } from '../../clock.ts'
import { type Config, type StoreChoice, storeOptions } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { prepareDirectory } from '../../db/embedded/data-directory.ts'
import { DirectoryInUse, lockDirectory } from '../../db/embedded/directory-lock.ts'
import { openPglite } from '../../db/embedded/pglite.ts'
import { StoreError } from '../../db/errors.ts'
import { openPostgres } from '../../db/postgres.ts'
import { readSecretKeys, type SecretKeys } from '../../secret-keys.ts'
import { sendAdminCommand } from '../admin-socket.ts'
import { unusableStore } from '../unusable-store.ts'
import { type DoctorFinding, fail, ok } from './doctor-finding.ts'
import { examineMachine } from './machine-checks.ts'
import { examineStore } from './store-checks.ts'

export interface Diagnosis {
  /** Whether no finding has the level `fail`. */
  readonly ok: boolean
  readonly findings: readonly DoctorFinding[]
}

export async function examine(config: Config): Promise<Diagnosis> {
  const findings = [...(await examineMachine(config)), ...(await examineChosenStore(config))]
  return { ok: findings.every(({ level }) => level !== 'fail'), findings }
}

async function examineChosenStore({ store, secretKeys }: Config): Promise<DoctorFinding[]> {
  try {
    const keys = secretKeys === undefined ? undefined : readSecretKeys(secretKeys)
    if (store.kind === 'memory') return [ok('store', 'Created in memory at the start.')]
    if (store.kind === 'directory') return await examineDirectory(store, keys)
    const findings = await examineDatabase(await openPostgres(store.url), { store, keys })
    return keys ? findings : [...findings, noKeys]
  } catch (error) {
    return [failureOf(error)]
  }
}

async function examineDirectory(
  store: Extract<StoreChoice, { kind: 'directory' }>,
  configured: SecretKeys | undefined,
): Promise<DoctorFinding[]> {
  const { directory } = store
  if (!existsSync(join(directory, 'database'))) {
    return [ok('store', `The first start creates ${directory}.`)]
  }
  const result = await sendAdminCommand(directory, { command: 'doctor' })
  if (result && 'findings' in result) return [...result.findings]
  await prepareDirectory(directory)
  const lock = await lockDirectory(directory)
  try {
    const stored = await readFile(join(directory, 'secret-keys'), 'utf8').catch(() => undefined)
    const keys = configured ?? (stored === undefined ? undefined : readSecretKeys(stored.trim()))
    return await examineDatabase(await openPglite(join(directory, 'database')), { store, keys })
  } finally {
    await lock.release()
  }
}

async function examineDatabase(
  db: Database,
  { store, keys }: { readonly store: StoreChoice; readonly keys: SecretKeys | undefined },
): Promise<DoctorFinding[]> {
  try {
    return await examineStore({ db, keys, now: realNow, storeOptions: storeOptions(store) })
  } finally {
    await db.close()
  }
}

const noKeys = fail(
  'secret keys',
  'PI_SECRET_KEYS is not set. PostgreSQL stores require it.',
  'Set the same value at every instance. pi-service start prints the command that generates one.',
)

function failureOf(error: unknown): DoctorFinding {
  if (error instanceof DirectoryInUse) {
    return fail('store', error.message, 'No action, if that service is meant to run.')
  }
  if (error instanceof StoreError) {
    const { found, advice } = unusableStore(error)
    return fail('store', found, advice)
  }
  if (error instanceof TypeError) {
    return fail('store', error.message, 'Correct the setting that the message names.')
  }
  throw error
}
