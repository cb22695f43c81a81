/**
 * The environment that a secret API key selects, looked up at most every five seconds.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Database } from '../db/database.ts'
import { ProblemError } from '../http/problem.ts'
import type { FailureLimit } from '../http/rate-limit.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { apiKeyLookUps, type FoundKey, hashOf, isApiKey } from './api-keys.ts'
import type { Environment } from './environments.ts'

/** Authenticates requests of the API. */
export interface Authenticator {
  /**
   * Returns the environment of the request's key.
   *
   * @throws {ProblemError} 401, the same for an unknown and a malformed key; 429 for too many of them.
   */
  authenticate(request: IncomingMessage): Promise<Environment>
  /** Clears every look-up, so that a revocation, a new origin or another clock takes effect immediately. */
  clearCache(): void
}

/** How long a revocation at another instance may take to have an effect here, in milliseconds. */
const cacheLifetime = 5000
const cacheSize = 10_000

/**
 * Creates the authenticator of one instance.
 *
 * @param limitFailures - Charges a key that the look-up did not find. Keys that it found are never charged.
 */
export function createAuthenticator(
  { db, keys, now }: { readonly db: Database; readonly keys: SecretKeys; readonly now: () => Date },
  limitFailures?: FailureLimit,
): Authenticator {
  const lookUpKey = apiKeyLookUps(db, keys)
  let cache = new Map<string, LookUp>()
  let connections = new WeakMap<Socket, Presented>()

  /** A connection sends the same header with each request, so its key is not hashed each time. */
  async function findFor(request: IncomingMessage): Promise<FoundKey | undefined> {
    const header = request.headers.authorization
    const before = connections.get(request.socket)
    if (before && before.header === header && isFresh(before.lookUp)) return before.lookUp.found
    const entries = connections
    const lookUp = await find(bearerToken(header))
    if (lookUp && header !== undefined) entries.set(request.socket, { header, lookUp })
    return lookUp?.found
  }

  async function find(apiKey: string): Promise<LookUp | undefined> {
    const name = hashOf(keys, keys.currentKid, apiKey).toString('latin1')
    const entries = cache
    const cached = entries.get(name)
    if (cached && isFresh(cached)) return cached
    // Before the look-up: its result may miss a revocation that happens while it runs.
    const until = now().getTime() + cacheLifetime
    const found = isApiKey(apiKey) ? await lookUpKey(apiKey) : undefined
    if (entries.size >= cacheSize) entries.clear()
    // An unknown key is looked up each time: it may be created at any moment.
    if (!found) {
      entries.delete(name)
      return undefined
    }
    const lookUp = { found, until }
    entries.set(name, lookUp)
    return lookUp
  }

  function isFresh({ until }: LookUp): boolean {
    const left = until - now().getTime()
    // More than a lifetime is left only where the clock was set back.
    return left > 0 && left <= cacheLifetime
  }

  return {
    authenticate: async (request) => {
      const found = await findFor(request)
      if (!found) {
        await limitFailures?.(request)
        throw unauthorized('invalid_credentials', 'The secret API key is not known here.')
      }
      const { environment, expiresAt, revokedAt } = found
      if (revokedAt || (expiresAt && expiresAt <= now())) {
        throw unauthorized(
          'revoked_credentials',
          'The secret API key was revoked or has expired; create another with pi-service keys create.',
        )
      }
      return environment
    },
    // New maps: a look-up that is running stores its result in those it began with.
    clearCache: () => {
      cache = new Map()
      connections = new WeakMap()
    },
  }
}

/** A key that was looked up, and until when the result is valid. */
interface LookUp {
  readonly found: FoundKey
  readonly until: number
}

/** The header that a connection sent last. */
interface Presented {
  readonly header: string
  readonly lookUp: LookUp
}

function bearerToken(header: string | undefined): string {
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
  return new ProblemError(code, detail, {
    headers: {
      // RFC 6750, §3: no error code for a request without credentials.
      'www-authenticate':
        code === 'missing_credentials' ? 'Bearer' : 'Bearer error="invalid_token"',
    },
  })
}
