/**
 * What the command line changes in a store: keys and origins. The same commands run in the command's
 * own process, or in the service that holds the data directory.
 *
 * @module
 */
import { z } from 'zod'
import { readOrigin } from './config.ts'
import type { Database } from './db/database.ts'
import type { Finding } from './doctor/finding.ts'
import { examineStore } from './doctor/store.ts'
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey } from './merchants/api-keys.ts'
import {
  addOrigin,
  ensureEnvironment,
  findEnvironmentByName,
  firstMerchant,
} from './merchants/merchants.ts'
import type { SecretKeys } from './secret-keys.ts'

/** A command with its arguments, as it crosses the admin socket. */
export const AdminCommand = z.discriminatedUnion('command', [
  z.strictObject({
    command: z.literal('keys create'),
    merchant: z.string().min(1).max(128),
    environment: z.enum(['test', 'live']),
    expiresAt: z.iso.datetime().optional(),
  }),
  z.strictObject({ command: z.literal('keys list') }),
  z.strictObject({ command: z.literal('keys revoke'), id: z.string() }),
  z.strictObject({
    command: z.literal('origins add'),
    origin: z.string(),
    merchant: z.string().min(1).max(128).optional(),
    environment: z.enum(['test', 'live']),
  }),
  z.strictObject({ command: z.literal('doctor') }),
])
export type AdminCommand = z.infer<typeof AdminCommand>

/** What a command answers. */
export type AdminResult =
  | {
      readonly id: string
      readonly apiKey: string
      readonly merchant: string
      readonly environment: string
    }
  | { readonly keys: readonly ApiKey[] }
  | { readonly id: string; readonly revoked: true }
  | { readonly merchant: string; readonly environment: string; readonly origins: readonly string[] }
  | { readonly findings: readonly Finding[] }

/** A command cannot be carried out; the message says what to do instead. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
}

/** The name of the merchant that a first start makes. */
export const firstMerchantName = 'Demo Shop'

/** Carries out one command. */
export async function administer(
  {
    db,
    keys,
    now,
  }: {
    readonly db: Database
    readonly keys: SecretKeys
    readonly now: () => Date
  },
  command: AdminCommand,
): Promise<AdminResult> {
  switch (command.command) {
    case 'keys create': {
      const { merchant, environment: mode, expiresAt } = command
      const environment = await ensureEnvironment(db, { merchant, mode }, now())
      const made = await createApiKey(db, keys, {
        environment,
        now: now(),
        expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
      })
      return { ...made, merchant, environment: mode }
    }
    case 'keys list':
      return { keys: await listApiKeys(db) }
    case 'keys revoke': {
      const { id } = command
      if (await revokeApiKey(db, { id, now: now() })) return { id, revoked: true }
      throw new AdminError(`There is no key ${id}; pi-service keys list shows their ids`)
    }
    case 'origins add': {
      const origin = readOrigin(command.origin)
      if (!origin) {
        throw new AdminError(
          'The origin must be exact, such as https://shop.example.com, without path or trailing slash; http passes on loopback only',
        )
      }
      const merchant = command.merchant ?? (await firstMerchant(db))
      if (merchant === undefined) {
        throw new AdminError('There is no merchant yet; make one with pi-service keys create')
      }
      const mode = command.environment
      const environment = await findEnvironmentByName(db, { merchant, mode })
      if (!environment) {
        throw new AdminError(
          `Merchant ${merchant} has no ${mode} environment; make one with pi-service keys create`,
        )
      }
      const origins = await addOrigin(db, { environmentId: environment.id, origin })
      return { merchant, environment: mode, origins }
    }
    case 'doctor':
      return { findings: await examineStore({ db, keys, now }) }
  }
}
