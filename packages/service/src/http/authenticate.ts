/**
 * Who asks: the environment that a secret key selects, looked up at most every five seconds.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from '../context.ts'
import { apiKeyLookUps, type FoundKey, hashOf, isApiKey } from '../merchants/api-keys.ts'
import type { Environment } from '../merchants/environments.ts'
import { ProblemError } from './problem.ts'
import type { FailureLimit } from './rate-limit.ts'

/** Authenticates requests of the API. */
export interface Authenticator {
  /**
   * Returns the environment of the request's key.
   *
   * @throws {ProblemError} 401, the same for an unknown and a malformed key; 429 for too many of them.
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
 * @param limitFailures - Charges a key that the look-up did not find. Keys that it found are never charged.
 */
export function authenticator(
  { db, keys, now }: Pick<Context, 'db' | 'keys' | 'now'>,
  limitFailures?: FailureLimit,
): Authenticator {
  const lookUpKey = apiKeyLookUps(db, keys)
  let cache = new Map<string, LookUp>()
  let connections = new WeakMap<Socket, Presented>()

  /** A connection says the same with each of its requests, so its key is not hashed each time. */
  async function findFor(request: IncomingMessage): Promise<FoundKey | undefined> {
    const header = request.headers.authorization
    const before = connections.get(request.socket)
    if (before && before.header === header && isFresh(before.lookUp)) return before.lookUp.found
    const known = connections
    const lookUp = await find(bearerToken(header))
    if (lookUp && header !== undefined) known.set(request.socket, { header, lookUp })
    return lookUp?.found
  }

  async function find(apiKey: string): Promise<LookUp | undefined> {
    const name = hashOf(keys, keys.currentKid, apiKey).toString('latin1')
    const known = cache
    const cached = known.get(name)
    if (cached && isFresh(cached)) return cached
    // Before the look-up: what is revoked while it runs may be missing in its answer.
    const until = now().getTime() + cacheLifetime
    const found = isApiKey(apiKey) ? await lookUpKey(apiKey) : undefined
    if (known.size >= cacheSize) known.clear()
    // An unknown key is looked up each time: it may be made any moment.
    if (!found) {
      known.delete(name)
      return undefined
    }
    const lookUp = { found, until }
    known.set(name, lookUp)
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
          'The secret API key was revoked or has expired; make another with pi-service keys create.',
        )
      }
      return environment
    },
    // Others, not emptied ones: a look-up under way keeps what it read before in those it began with.
    forget: () => {
      cache = new Map()
      connections = new WeakMap()
    },
  }
}

/** A key that was looked up, and until when that counts. */
interface LookUp {
  readonly found: FoundKey
  readonly until: number
}

/** What a connection sent last. */
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
