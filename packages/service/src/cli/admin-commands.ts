/**
 * Commands that list and change merchants, keys, and origins in a store, also beside a service that uses it. Each returns
 * what it prints.
 *
 * @module
 */
import { readOrigin } from '@pi-checkout/contract/origin'
import { ExplainedError } from '../explained-error.ts'
import { createIntentStore } from '../intents/store.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../merchants/api-keys.ts'
import * as environments from '../merchants/environments.ts'
import type { Database } from '../store/database.ts'

export async function createKey(
  db: Database,
  { merchant, environment: mode }: Named & { readonly merchant: string },
) {
  const now = new Date()
  const name = { merchantName: merchant, mode }
  const environment = await environments.ensureEnvironment(db, name, now)
  return { ...(await createApiKey(db, { environment, now })), merchant, environment: mode }
}

export async function listKeys(db: Database) {
  return { keys: await listApiKeys(db) }
}

export async function revokeKey(db: Database, id: string) {
  if (await revokeApiKey(db, id, new Date())) return { id, revoked: true }
  throw new ExplainedError('No key has this id. Run pi-service keys list.')
}

export async function listMerchants(db: Database) {
  const [all, keys] = [await environments.listEnvironments(db), await listApiKeys(db)]
  const listed = all.map(({ merchantName: merchant, mode, allowedOrigins: origins }) => {
    const own = keys.filter((key) => key.merchant === merchant && key.environment === mode)
    const workingKeys = own.filter(({ revokedAt }) => revokedAt === null).length
    return { merchant, environment: mode, workingKeys, origins }
  })
  return { merchants: listed }
}

export async function changeOrigin(
  db: Database,
  change: 'add' | 'remove',
  { origin: given, ...named }: Named & { readonly origin: string },
) {
  const origin = readOrigin(given)
  if (!origin) {
    throw new ExplainedError(
      'The origin must be exact, such as https://shop.example.com, without a path or trailing slash. http is accepted for loopback only.',
    )
  }
  const { id: environmentId, ...shown } = await findNamed(db, named)
  const origins = await environments.changeOrigin(db, change, { environmentId, origin })
  if (origins) return { ...shown, origins }
  throw new ExplainedError('The environment has no such origin. Run pi-service merchants list.')
}

export async function revokeSecret(db: Database, id: string) {
  const intents = createIntentStore({ db, now: () => new Date() })
  if (await intents.change(id, { type: 'revoked' })) return { id, secretRevoked: true }
  throw new ExplainedError(
    'No intent has this id. Use the id that the create returned, without "_secret_" and the characters after it.',
  )
}

/** Names an environment. Without a merchant, it is one of the first merchant. */
interface Named {
  readonly merchant?: string
  readonly environment: environments.Environment['mode']
}

async function findNamed(db: Database, { merchant: given, environment }: Named) {
  const merchant = given ?? (await environments.listEnvironments(db))[0]?.merchantName ?? ''
  const name = { merchantName: merchant, mode: environment }
  const found = await environments.findEnvironmentByName(db, name)
  if (found) return { id: found.id, merchant, environment }
  throw new ExplainedError(
    `There is no such merchant with a ${environment} environment. Create one with pi-service keys create.`,
  )
}
