/**
 * Who asks: the environment that a secret key selects, looked up at most every five seconds.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { type FoundKey, findApiKey, hashOf, isApiKey } from '../merchants/api-keys.ts'
import type { Environment } from '../merchants/environments.ts'
import { ProblemError } from './problem.ts'
import type { Buckets } from './rate-limit.ts'

/** Authenticates requests of the API. */
export interface Authenticator {
  /**
   * Returns the environment of the request's key.
   *
   * @throws {ProblemError} 401, with the same answer for an unknown and a malformed key.
   */
  authenticate(request: IncomingMessage): Promise<Environment>
  /** Forgets every look-up: a revocation, a new origin or another clock bites at once. */
  forget(): void
}

/** How long another instance's revocation may go unnoticed here, in milliseconds. */
const cacheLifetime = 5000
const cacheSize = 10_000

/**
 * Makes the authenticator of one instance.
 *
 * @param failures Limits how many wrong keys an address may try.
 */
export function authenticator(
  { db, keys, now }: Pick<Context, 'db' | 'keys' | 'now'>,
  failures?: Buckets,
): Authenticator {
  const cache = new Map<string, { readonly found: FoundKey; readonly until: number }>()

  async function find(apiKey: string): Promise<FoundKey | undefined> {
    const name = hashOf(keys, keys.currentKid, apiKey).toString('latin1')
    const cached = cache.get(name)
    const left = cached ? cached.until - now().getTime() : 0
    // More than a lifetime is left only where the clock was set back.
    if (cached && left > 0 && left <= cacheLifetime) return cached.found
    const found = isApiKey(apiKey) ? await findApiKey(db, keys, apiKey) : undefined
    if (cache.size >= cacheSize) cache.clear()
    // An unknown key is looked up each time: it may be made any moment.
    if (found) cache.set(name, { found, until: now().getTime() + cacheLifetime })
    else cache.delete(name)
    return found
  }

  return {
    authenticate: async (request) => {
      const address = request.socket.remoteAddress ?? ''
      failures?.check(address)
      const apiKey = bearerToken(request)
      const found = await find(apiKey)
      if (!found) {
        failures?.take(address)
        throw unauthorized('invalid_credentials', 'The secret API key is not known here.')
      }
      const { environment, expiresAt, revokedAt } = found
      if (revokedAt || (expiresAt && expiresAt <= now())) {
        throw unauthorized(
          'revoked_credentials',
          'The secret API key was revoked or has expired; make another with pi-service keys create.',
        )
      }
      return environment
    },
    forget: () => cache.clear(),
  }
}

function bearerToken(request: IncomingMessage): string {
  const header = request.headers.authorization
  if (header === undefined) {
    throw unauthorized(
      'missing_credentials',
      'Send the secret API key as Authorization: Bearer <API_KEY>.',
    )
  }
  const [, token] = /^Bearer +([!-~]{1,512})$/i.exec(header) ?? []
  if (token) return token
  throw unauthorized('invalid_credentials', 'The secret API key is not known here.')
}

function unauthorized(
  code: 'missing_credentials' | 'invalid_credentials' | 'revoked_credentials',
  detail: string,
): ProblemError {
  return new ProblemError(code, detail, { headers: { 'www-authenticate': 'Bearer' } })
}
