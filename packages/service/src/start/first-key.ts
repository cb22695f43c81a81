/** Creates the demo merchant, and the test key that a start shows. @module */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { z } from 'zod'
import { firstMerchantName } from '../cli/admin-commands.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { writeDurably } from '../db/embedded/data-directory.ts'
import { SettingError } from '../explained-error.ts'
import type { StoreAndClock } from '../intents/store.ts'
import { createApiKey, findApiKeys, isApiKey } from '../merchants/api-keys.ts'
import {
  addOrigin,
  ensureEnvironment,
  ensureMerchant,
  findEnvironmentByName,
  firstMerchant,
} from '../merchants/merchants.ts'
import type { SecretKeys } from '../secret-keys.ts'

/** Default origin of the demo shop, registered so that the demo works without setup. */
const demoOrigin = 'http://localhost:3000'

interface FirstKeyOptions extends StoreAndClock {
  readonly keys: SecretKeys
  readonly log: Logger
}

/**
 * Creates the demo merchant if there is no merchant. Finds or creates the test key that a start shows. Registers the
 * origins of the start. With PostgreSQL, where operators create merchants, it does the first two with `demo` only.
 */
export async function firstKey(
  { demo, origins, store }: Pick<Config, 'demo' | 'origins' | 'store'>,
  options: FirstKeyOptions,
): Promise<string | null> {
  const { db, keys, log, now } = options
  const existing = await firstMerchant(db)
  if (store.kind === 'postgres' && !demo) {
    await register(origins, { db, merchant: existing })
    return null
  }
  const merchant = existing ?? firstMerchantName
  const isFirst = existing === undefined && (await ensureMerchant(db, merchant, now()))
  const environment = await ensureEnvironment(db, { merchant, mode: 'test' }, now())
  await register([demoOrigin, ...origins], { db, merchant })
  const create = async (): Promise<string> =>
    (await createApiKey(db, keys, { environment, now: now() })).apiKey

  switch (store.kind) {
    case 'memory':
      return await create()
    case 'postgres':
      // An earlier start has shown a key. Each start would otherwise create another valid key.
      return isFirst ? await create() : null
    case 'directory': {
      const file = join(store.directory, 'sandbox.json')
      const stored = await readStoredKey(file)
      const problem = stored && (await problemOf(stored, options))
      if (stored && !problem) return stored
      const apiKey = await create()
      await writeDurably(file, `${JSON.stringify({ apiKey })}\n`)
      if (problem) {
        log.warn(`The API key in ${file} ${problem}. PI_API_KEY is a new one, stored there.`)
      }
      return apiKey
    }
  }
}

async function register(
  origins: readonly string[],
  { db, merchant }: { readonly db: Database; readonly merchant: string | undefined },
): Promise<void> {
  if (origins.length === 0) return
  const environment = merchant && (await findEnvironmentByName(db, { merchant, mode: 'test' }))
  if (!environment) {
    throw new SettingError(
      '--shop-origin: there is no merchant with a test environment. Run pi-service keys create --merchant NAME --environment test first, or start with --demo.',
    )
  }
  for (const origin of origins) await addOrigin(db, { environmentId: environment.id, origin })
}

/** Returns why a stored key is not valid, or `undefined` if it is. */
async function problemOf(
  apiKey: string,
  { db, keys, now }: FirstKeyOptions,
): Promise<string | undefined> {
  const [found] = isApiKey(apiKey) ? await findApiKeys(db, keys, [apiKey]) : []
  if (!found) return 'is unknown in this store'
  if (found.revokedAt) return 'was revoked'
  if (found.expiresAt && found.expiresAt <= now()) return 'has expired'
  return found.environment.mode === 'live' ? 'is for a live environment' : undefined
}

const StoredKey = z.object({ apiKey: z.string() })

async function readStoredKey(file: string): Promise<string | undefined> {
  try {
    return StoredKey.parse(JSON.parse(await readFile(file, 'utf8'))).apiKey
  } catch {
    return undefined // The file is missing or damaged. The caller creates another key.
  }
}
