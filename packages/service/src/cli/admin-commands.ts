/** Commands that list and change merchants, keys, and origins in a store. @module */

import { readOrigin } from '@pi-checkout/contract/origin'
import { ExplainedError } from '../explained-error.ts'
import { change, createIntentStore, type StoreAndClock } from '../intents/store.ts'
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey } from '../merchants/api-keys.ts'
import type { Environment } from '../merchants/environments.ts'
import {
  addOrigin,
  ensureEnvironment,
  findEnvironmentByName,
  firstMerchant,
  type ListedEnvironment,
  listEnvironments,
  removeOrigin,
} from '../merchants/merchants.ts'
import { redact } from '../redact.ts'
import type { Database } from '../store/database.ts'

/** A command with its arguments. */
export type AdminCommand =
  | {
      readonly command: 'keys create'
      readonly merchant: string
      readonly environment: Environment['mode']
      readonly expiresAt?: string | undefined
    }
  | { readonly command: 'keys list' | 'merchants list' | 'origins list' }
  | { readonly command: 'keys revoke' | 'intents revoke-secret'; readonly id: string }
  | {
      readonly command: 'origins add' | 'origins remove'
      readonly origin: string
      readonly merchant?: string | undefined
      readonly environment: Environment['mode']
    }

/** Output of a command. */
export interface AdminResult {
  /** With `--json`. */
  readonly data: object
  readonly text: string
}

/** Thrown if a command cannot be run. The message contains the fix. */
class AdminError extends ExplainedError {
  override readonly name = 'AdminError'
}

export const firstMerchantName = 'Tsiran'

export async function administer(
  { db, now }: StoreAndClock,
  command: AdminCommand,
): Promise<AdminResult> {
  switch (command.command) {
    case 'keys create': {
      const { merchant, environment: mode, expiresAt } = command
      const environment = await ensureEnvironment(db, { merchant, mode }, now())
      const created = await createApiKey(db, {
        environment,
        now: now(),
        expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
      })
      return {
        data: { ...created, merchant, environment: mode },
        text: `${created.apiKey}\nKey ${created.id} of ${merchant} (${mode}). Store it now: it is not shown again.`,
      }
    }
    case 'keys list': {
      const listed = await listApiKeys(db)
      const text = linesOf(
        listed.map(cellsOfKey),
        'No keys. Create one with pi-service keys create.',
      )
      return { data: { keys: listed }, text }
    }
    case 'keys revoke': {
      const { id } = command
      if (!(await revokeApiKey(db, { id, now: now() }))) {
        throw new AdminError(`No key has the id ${redact(id)}. Run pi-service keys list.`)
      }
      return { data: { id, revoked: true }, text: `Key ${id} is revoked.` }
    }
    case 'merchants list': {
      const merchants = await listEnvironments(db, now())
      const none = 'No merchants. pi-service keys create creates one with its key.'
      return { data: { merchants }, text: linesOf(merchants.map(cellsOfEnvironment), none) }
    }
    case 'origins list': {
      const listed = (await listEnvironments(db, now())).flatMap(
        ({ merchant, environment, origins }) =>
          origins.map((origin) => ({ origin, merchant, environment })),
      )
      const rows = listed.map(({ origin, merchant, environment }) => [
        origin,
        `${merchant} (${environment})`,
      ])
      const text = linesOf(rows, 'No origins. Register one with pi-service origins add.')
      return { data: { origins: listed }, text }
    }
    case 'origins add': {
      const origin = readOrigin(command.origin)
      if (!origin) {
        throw new AdminError(
          'The origin must be exact, such as https://shop.example.com, without a path or trailing slash. http is accepted for loopback only.',
        )
      }
      const { id, ...named } = await namedEnvironment(db, command)
      return resultOf(named, await addOrigin(db, { environmentId: id, origin }))
    }
    case 'origins remove': {
      const { origin } = command
      const { id, ...named } = await namedEnvironment(db, command)
      const origins = await removeOrigin(db, { environmentId: id, origin })
      if (origins) return resultOf(named, origins)
      throw new AdminError(
        `${redact(origin)} is not registered for ${redact(named.merchant)} (${named.environment}). Run pi-service origins list.`,
      )
    }
    case 'intents revoke-secret': {
      const { id } = command
      const intents = createIntentStore({ db, now })
      if (!(await change(intents, id, { type: 'revoked' }))) {
        throw new AdminError(
          'No intent has this id. Use the id that the create returned, without "_secret_" and the characters after it.',
        )
      }
      return {
        data: { id, secretRevoked: true },
        text: `The clientSecret of ${id} is revoked, and its open checkout sessions have ended.`,
      }
    }
  }
}

/** Returns rows with aligned columns. `none`: the text if there is no row. */
function linesOf(rows: readonly (readonly string[])[], none: string): string {
  const [first] = rows
  if (!first) return none
  const widths = first.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}

function cellsOfKey({
  id,
  display,
  merchant,
  environment,
  revokedAt,
  expiresAt,
}: ApiKey): string[] {
  const until = expiresAt ? `until ${expiresAt.toISOString()}` : ''
  return [id, display, `${merchant} (${environment})`, revokedAt ? 'revoked' : until]
}

function cellsOfEnvironment(listed: ListedEnvironment): string[] {
  const { merchant, environment, workingKeys, origins } = listed
  const keys = workingKeys === 1 ? '1 valid key' : `${workingKeys} valid keys`
  return [`${merchant} (${environment})`, keys, origins.join(', ') || noOrigin]
}

function resultOf(
  named: { readonly merchant: string; readonly environment: string },
  origins: readonly string[],
): AdminResult {
  const text = `${named.merchant} (${named.environment}): ${origins.join(', ') || noOrigin}`
  return { data: { ...named, origins }, text }
}

const noOrigin = 'no origin, so no page can show its checkout'

/** Finds the environment of a command. Without a merchant, the first one is used. */
async function namedEnvironment(
  db: Database,
  { merchant: named, environment }: { merchant?: string | undefined; environment: 'test' | 'live' },
): Promise<{ readonly id: string; readonly merchant: string; readonly environment: string }> {
  const merchant = named ?? (await firstMerchant(db))
  if (merchant === undefined) {
    throw new AdminError('There is no merchant. Create one with pi-service keys create.')
  }
  const found = await findEnvironmentByName(db, { merchant, mode: environment })
  if (found) return { id: found.id, merchant, environment }
  throw new AdminError(
    `Merchant ${redact(merchant)} has no ${environment} environment. Create one with pi-service keys create.`,
  )
}
