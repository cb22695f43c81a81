/** Creates the demo merchant, and the test key that a start shows. @module */
import type { Config } from '../config.ts'
import { SettingError } from '../explained-error.ts'
import type { StoreAndClock } from '../intents/store.ts'
import { firstValidKey } from '../merchants/api-keys.ts'
import {
  changeOrigin,
  ensureEnvironment,
  findEnvironmentByName,
  listEnvironments,
} from '../merchants/environments.ts'
import type { SecretKeys } from '../secret-keys.ts'

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
  const [first] = await listEnvironments(db)
  const name = { merchantName: first?.merchantName ?? demoMerchant, mode: 'test' } as const
  const showsKey = demo || store.kind !== 'postgres'
  if (!showsKey && origins.length === 0) return null
  const environment = showsKey
    ? await ensureEnvironment(db, name, now())
    : await findEnvironmentByName(db, name)
  if (!environment) {
    throw new SettingError(
      '--shop-origin: there is no merchant with a test environment. Run pi-service keys create --merchant NAME --environment test first, or start with --demo.',
    )
  }
  for (const origin of showsKey ? [demoOrigin, ...origins] : origins) {
    await changeOrigin(db, 'add', { environmentId: environment.id, origin })
  }
  return showsKey ? await firstValidKey(db, keys, { environment, now: now() }) : null
}
