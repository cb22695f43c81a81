/** Creates the demo merchant, and the test key that a start shows. @module */
import type { Config } from '../config.ts'
import { SettingError } from '../explained-error.ts'
import type { StoreAndClock } from '../intents/store.ts'
import { firstValidKey } from '../merchants/api-keys.ts'
import {
  addOrigin,
  ensureEnvironment,
  findEnvironmentByName,
  firstMerchant,
} from '../merchants/merchants.ts'
import type { SecretKeys } from '../secret-keys.ts'
import type { Database } from '../store/database.ts'

/** Name of the merchant that a start creates. */
const firstMerchantName = 'Tsiran'

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
  const existing = await firstMerchant(db)
  if (store.kind === 'postgres' && !demo) {
    await register(origins, { db, merchant: existing })
    return null
  }
  const merchant = existing ?? firstMerchantName
  const environment = await ensureEnvironment(db, { merchant, mode: 'test' }, now())
  await register([demoOrigin, ...origins], { db, merchant })
  return await firstValidKey(db, keys, { environment, now: now() })
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
