/** Commands that list and change merchants, keys, and origins in a store, also beside a service that uses it. @module */
import { readOrigin } from '@pi-checkout/contract/origin'
import { realNow as now } from '../clock.ts'
import type { StoreChoice } from '../config.ts'
import { ExplainedError, SettingError } from '../explained-error.ts'
import { change, createIntentStore } from '../intents/store.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../merchants/api-keys.ts'
import type { Environment } from '../merchants/environments.ts'
import {
  addOrigin,
  ensureEnvironment,
  findEnvironmentByName,
  firstMerchant,
  listEnvironments,
  removeOrigin,
} from '../merchants/merchants.ts'
import { openDatabase } from '../start/open-store.ts'
import type { Database } from '../store/database.ts'

/** A command with its arguments. */
export type AdminCommand =
  | {
      readonly command: 'keys create'
      readonly merchant: string
      readonly environment: Environment['mode']
      readonly expiresAt?: string | undefined
    }
  | { readonly command: 'keys list' | 'merchants list' }
  | { readonly command: 'keys revoke' | 'intents revoke-secret'; readonly id: string }
  | {
      readonly command: 'origins add' | 'origins remove'
      readonly origin: string
      readonly merchant?: string | undefined
      readonly environment: Environment['mode']
    }

/** Thrown if a command cannot be run. The message contains the fix. */
class AdminError extends ExplainedError {
  override readonly name = 'AdminError'
}

/** Runs a command and returns what it prints. @throws {AdminError} If it cannot be run. */
export async function administer(store: StoreChoice, command: AdminCommand): Promise<object> {
  if (store.kind === 'memory') {
    throw new SettingError(
      '--memory: not available for this command, because the change would be lost. Use --data or --database-url.',
    )
  }
  const db = await openDatabase(store)
  try {
    return await run(db, command)
  } finally {
    await db.close()
  }
}

async function run(db: Database, command: AdminCommand): Promise<object> {
  switch (command.command) {
    case 'keys create': {
      const { merchant, environment: mode, expiresAt } = command
      const environment = await ensureEnvironment(db, { merchant, mode }, now())
      const created = await createApiKey(db, {
        environment,
        now: now(),
        expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
      })
      return { ...created, merchant, environment: mode }
    }
    case 'keys list':
      return { keys: await listApiKeys(db) }
    case 'keys revoke': {
      const { id } = command
      if (await revokeApiKey(db, { id, now: now() })) return { id, revoked: true }
      throw new AdminError('No key has this id. Run pi-service keys list.')
    }
    case 'merchants list':
      return { merchants: await listEnvironments(db, now()) }
    case 'origins add': {
      const origin = readOrigin(command.origin)
      if (!origin) {
        throw new AdminError(
          'The origin must be exact, such as https://shop.example.com, without a path or trailing slash. http is accepted for loopback only.',
        )
      }
      const { id, ...named } = await namedEnvironment(db, command)
      return { ...named, origins: await addOrigin(db, { environmentId: id, origin }) }
    }
    case 'origins remove': {
      const { origin } = command
      const { id, ...named } = await namedEnvironment(db, command)
      const origins = await removeOrigin(db, { environmentId: id, origin })
      if (origins) return { ...named, origins }
      throw new AdminError('The environment has no such origin. Run pi-service merchants list.')
    }
    case 'intents revoke-secret': {
      const { id } = command
      const intents = createIntentStore({ db, now })
      if (await change(intents, id, { type: 'revoked' })) {
        return { id, secretRevoked: true }
      }
      throw new AdminError(
        'No intent has this id. Use the id that the create returned, without "_secret_" and the characters after it.',
      )
    }
  }
}

/** Finds the environment of a command. Without a merchant, the first one is used. */
async function namedEnvironment(
  db: Database,
  { merchant: named, environment }: { merchant?: string | undefined; environment: 'test' | 'live' },
): Promise<{ readonly id: string; readonly merchant: string; readonly environment: string }> {
  const merchant = named ?? (await firstMerchant(db))
  const found =
    merchant === undefined
      ? undefined
      : await findEnvironmentByName(db, { merchant, mode: environment })
  if (merchant !== undefined && found) return { id: found.id, merchant, environment }
  throw new AdminError(
    `There is no such merchant with a ${environment} environment. Create one with pi-service keys create.`,
  )
}
