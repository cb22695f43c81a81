/** Authenticates requests by their secret API key. Lookups are cached for five seconds. @module */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Database } from '../db/database.ts'
import { ProblemError } from '../http/problem.ts'
import type { FailureLimit } from '../http/rate-limit.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { apiKeyLookUps, type FoundKey, hashOf, isApiKey } from './api-keys.ts'
import type { Environment } from './environments.ts'

export type Authenticator = ReturnType<typeof createAuthenticator>

/** Milliseconds after which a revocation takes effect at an instance that was not notified of it. */
const cacheLifetime = 5000
const cacheSize = 10_000

/** @param limitFailures - Counts requests with an unknown key. */
export function createAuthenticator(
  { db, keys, now }: { readonly db: Database; readonly keys: SecretKeys; readonly now: () => Date },
  limitFailures?: FailureLimit,
) {
  const lookUpKey = apiKeyLookUps(db, keys)
  let cache = new Map<string, LookUp>()
  let connections = new WeakMap<Socket, LastHeader>()

  // A connection usually repeats its header, so the key is not hashed for each request.
  async function findFor(request: IncomingMessage): Promise<FoundKey | undefined> {
    const header = request.headers.authorization
    const last = connections.get(request.socket)
    if (last && last.header === header && isValid(last.lookUp)) return last.lookUp.found
    const entries = connections
    const lookUp = await find(bearerToken(header))
    if (lookUp && header !== undefined) entries.set(request.socket, { header, lookUp })
    return lookUp?.found
  }

  async function find(apiKey: string): Promise<LookUp | undefined> {
    const hash = hashOf(keys, keys.currentKid, apiKey).toString('latin1')
    const entries = cache
    const cached = entries.get(hash)
    if (cached && isValid(cached)) return cached
    // Computed before the lookup, because the result may miss a revocation during the lookup.
    const validUntil = now().getTime() + cacheLifetime
    const found = isApiKey(apiKey) ? await lookUpKey(apiKey) : undefined
    if (entries.size >= cacheSize) entries.clear()
    // Unknown keys are not cached, so that a new key works immediately.
    if (!found) {
      entries.delete(hash)
      return undefined
    }
    const lookUp = { found, validUntil }
    entries.set(hash, lookUp)
    return lookUp
  }

  function isValid({ validUntil }: LookUp): boolean {
    const remaining = validUntil - now().getTime()
    // More than `cacheLifetime` remains only if the clock was set back.
    return remaining > 0 && remaining <= cacheLifetime
  }

  // A revocation, a new origin, or a changed clock takes effect immediately. Replace the maps: a running lookup still
  // stores its result in the old ones.
  db.listen((change) => {
    if (change !== 'environments') return
    cache = new Map()
    connections = new WeakMap()
  })

  return {
    /** @throws {ProblemError} If the key is not valid (401), or if too many were not (429). */
    authenticate: async (request: IncomingMessage): Promise<Environment> => {
      const found = await findFor(request)
      if (!found) {
        await limitFailures?.(request)
        throw unauthorized('invalid_credentials', unknownKey)
      }
      const { environment, expiresAt, revokedAt } = found
      if (revokedAt || (expiresAt && expiresAt <= now())) {
        throw unauthorized(
          'revoked_credentials',
          'The secret API key was revoked or has expired. Create another with pi-service keys create.',
        )
      }
      return environment
    },
  }
}

interface LookUp {
  readonly found: FoundKey
  readonly validUntil: number
}

/** Last `Authorization` header of a connection, with its lookup. */
interface LastHeader {
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
  throw unauthorized('invalid_credentials', unknownKey)
}

/** The same text for an unknown and a malformed key. */
const unknownKey = 'No environment has this secret API key.'

function unauthorized(
  code: 'missing_credentials' | 'invalid_credentials' | 'revoked_credentials',
  detail: string,
): ProblemError {
  return new ProblemError(code, detail, {
    headers: {
      // RFC 6750, §3: a request without credentials gets no error code.
      'www-authenticate':
        code === 'missing_credentials' ? 'Bearer' : 'Bearer error="invalid_token"',
    },
  })
}
