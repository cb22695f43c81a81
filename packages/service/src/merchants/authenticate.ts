/** Authenticates requests by their secret API key. Lookups are cached for five seconds. @module */
import { apiKeyPattern } from '@pi-checkout/contract'
import type { FastifyRequest } from 'fastify'
import { ProblemError, unauthorized } from '../http/problem.ts'
import type { Database } from '../store/database.ts'
import { type FoundKey, findApiKey } from './api-keys.ts'
import type { Environment } from './environments.ts'

/** Milliseconds after which a revocation takes effect at an instance that was not notified of it. */
const cacheLifetime = 5000
const cacheSize = 10_000

export function createAuthenticator(db: Database, now: () => Date) {
  /** By key, as the headers of open requests are in memory too. Neither is logged or stored. */
  let cache = new Map<string, FoundKey & { readonly readAt: number }>()

  async function find(apiKey: string): Promise<FoundKey | undefined> {
    const entries = cache
    const cached = entries.get(apiKey)
    // Before the lookup, because the result may miss a revocation during the lookup.
    const readAt = now().getTime()
    // The clock may be set back.
    if (cached && Math.abs(readAt - cached.readAt) < cacheLifetime) return cached
    const found = apiKeyPattern.test(apiKey) ? await findApiKey(db, apiKey) : undefined
    if (entries.size >= cacheSize) entries.clear()
    // Unknown keys are not cached, so that a new key works immediately.
    if (found) entries.set(apiKey, { ...found, readAt })
    return found
  }

  // A revocation, a new origin, or a changed clock takes effect immediately. Replace the map: a running lookup still
  // stores its result in the old one.
  db.listen((change) => {
    if (change === 'environments') cache = new Map()
  })

  return {
    /** @throws {ProblemError} If the key is not valid. */
    authenticate: async (request: FastifyRequest): Promise<Environment> => {
      const token = bearerToken(request.headers.authorization)
      const found = await find(token)
      if (!found) throw unknownKey()
      if (!found.isRevoked) return found.environment
      throw unauthorized(
        'revoked_credentials',
        'The secret API key was revoked. Create another with pi-service keys create.',
      )
    },
  }
}

/** Rejects requests with headers that only browsers send, because a page must not have a secret key. */
export function rejectBrowser({ headers: sent }: FastifyRequest): void {
  if (sent.origin === undefined && sent['sec-fetch-site'] === undefined) return
  throw new ProblemError(
    'secret_key_in_browser',
    "Secret API keys are for the merchant's server only. Call this from there, and send the page id and clientSecret.",
  )
}

function bearerToken(header: string | undefined): string {
  if (header === undefined) {
    throw unauthorized(
      'missing_credentials',
      'Send the secret API key as Authorization: Bearer <API_KEY>.',
      'Bearer',
    )
  }
  const [, token] = /^Bearer +([!-~]{1,512})$/i.exec(header) ?? []
  if (token) return token
  throw unknownKey()
}

/** The same for an unknown and a malformed key. */
export function unknownKey(): ProblemError {
  return unauthorized('invalid_credentials', 'No environment has this secret API key.')
}
