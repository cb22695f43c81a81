/** Creates the demo merchant, and the test key that a start shows. @module */
import type { Config } from '../config.ts'
import { SettingError } from '../explained-error.ts'
import type { StoreAndClock } from '../intents/store.ts'
import { firstValidKey } from '../merchants/api-keys.ts'
import type { Environment } from '../merchants/environments.ts'
import {
  addOrigin,
  ensureEnvironment,
  findEnvironmentByName,
  firstMerchant,
} from '../merchants/merchants.ts'
import type { SecretKeys } from '../secret-keys.ts'
import type { Database } from '../store/database.ts'

/** Name of the merchant that a start creates. */
const demoMerchant = 'Tsiran'

/** Default origin of the demo shop, registered so that the demo works without setup. */
const demoOrigin = 'http://localhost:3000'

/**
 * Creates the demo merchant if there is no merchant. Returns the test key that a start shows. Registers the origins of the
 * start. With PostgreSQL, where operators create merchants, it does the first two with `demo` only.
 */
export async function firstKey(
  { demo, origins, store }: Pick<Config, 'demo' | 'origins' | 'store'>,
  { db, keys, now }: StoreAndClock & { readonly keys: SecretKeys },
): Promise<string | null> {
  const merchant = await firstMerchant(db)
  if (demo || store.kind !== 'postgres') {
    const name = { merchant: merchant ?? demoMerchant, mode: 'test' } as const
    const environment = await ensureEnvironment(db, name, now())
    await register(db, environment, [demoOrigin, ...origins])
    return await firstValidKey(db, keys, { environment, now: now() })
  }
  if (origins.length === 0) return null
  const environment = merchant && (await findEnvironmentByName(db, { merchant, mode: 'test' }))
  if (!environment) {
    throw new SettingError(
      '--shop-origin: there is no merchant with a test environment. Run pi-service keys create --merchant NAME --environment test first, or start with --demo.',
    )
  }
  await register(db, environment, origins)
  return null
}

async function register(
  db: Database,
  { id: environmentId }: Environment,
  origins: readonly string[],
): Promise<void> {
  for (const origin of origins) await addOrigin(db, { environmentId, origin })
}
