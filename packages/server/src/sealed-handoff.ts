/**
 * The encrypted cookie that lets one browser session resume one handoff after a reload.
 *
 * Retrieve never returns the secret, a signed cookie would show it, a database would keep it: so the
 * browser itself carries it, unreadable. Whatever is wrong with a cookie, it is as if absent.
 *
 * @module
 */
import { readVariable } from './configuration.ts'
import { type Handoff, maskedHandoff } from './mask.ts'
import { sha256 } from './sha256.ts'

/** Seconds that a sealed handoff lives. */
export const handoffLifetime = 1800

/** Who and what a handoff is for. */
export interface Binding {
  /** The shop's own session; `undefined` in a shop without sessions. */
  readonly session: string | undefined
  readonly orderId: string
  /** The create's idempotency key, which covers order, money and attempt. */
  readonly key: string
}

/** Seals and opens handoffs of one shop. */
export interface HandoffSeal {
  readonly seal: (handoff: Handoff, binding: Binding) => Promise<string>
  /**
   * Opens a cookie for its own session and order; with `key` for that very cart alone.
   *
   * @returns `undefined` for everything that is not exactly that.
   */
  readonly open: (
    sealed: string,
    binding: Omit<Binding, 'key'> & { readonly key?: string },
  ) => Promise<Handoff | undefined>
}

type SealingKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const typ = 'pi-handoff+jwt'
const longest = 4096

/**
 * Prepares the keys of a shop.
 *
 * @param keys `k2:<43 base64url>,k1:…`: the first seals, all open. Default: `PI_HANDOFF_KEYS`.
 * @throws {TypeError} The keys are missing or malformed. The message never repeats them.
 */
export async function createSeal(options: {
  readonly origin: string
  readonly keys: string | undefined
  readonly clock: () => number
}): Promise<HandoffSeal> {
  const { origin, clock } = options
  const keys = await importKeys(readKeys(options.keys))
  const [[kid, sealing] = missing()] = keys
  // Here and not at the top: jose takes tens of milliseconds to load, and many processes never seal.
  const { EncryptJWT, jwtDecrypt } = await import('jose')
  return {
    seal: async (handoff, { session, orderId, key }) => {
      const now = Math.floor(clock() / 1000)
      const claims = { ord: orderId, ik: key, pi: handoff.id, cs: handoff.clientSecret }
      return new EncryptJWT(claims)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ, kid })
        .setIssuer(origin)
        .setAudience(origin)
        .setSubject(await subject(session))
        .setJti(randomId())
        .setIssuedAt(now)
        .setExpirationTime(now + handoffLifetime)
        .encrypt(sealing)
    },
    open: async (sealed, { session, orderId, key }) => {
      if (sealed.length > longest) return undefined
      try {
        const { payload } = await jwtDecrypt(
          sealed,
          (header) => keys.get(header.kid ?? '') ?? missing(),
          {
            issuer: origin,
            audience: origin,
            requiredClaims: ['exp', 'iat', 'sub', 'jti'],
            clockTolerance: 5,
            currentDate: new Date(clock()),
            typ,
            maxTokenAge: handoffLifetime,
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
            maxDecompressedLength: 0,
          },
        )
        const { sub, ord, ik, pi, cs } = payload
        const ours =
          same(sub, await subject(session)) &&
          same(ord, orderId) &&
          (key === undefined || same(ik, key))
        if (!ours || typeof pi !== 'string' || typeof cs !== 'string') return undefined
        return maskedHandoff(pi, cs)
      } catch {
        // jose's errors carry the decrypted claims, the secret too: none may be kept or logged.
        return undefined
      }
    },
  }
}

/** Once, and not with every cookie: jose would import raw bytes each time. */
async function importKeys(
  keys: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Promise<ReadonlyMap<string, SealingKey>> {
  const imported = [...keys].map(async ([kid, bytes]) => {
    const key = crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
    return [kid, await key] as const
  })
  return new Map(await Promise.all(imported))
}

function readKeys(given: string | undefined): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const name = given === undefined ? 'PI_HANDOFF_KEYS' : 'keys'
  const text = given ?? readVariable('PI_HANDOFF_KEYS', whereKeysComeFrom)
  const keys = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const part of text.split(',')) {
    const [, kid, encoded] = /^([a-z0-9]{1,8}):([A-Za-z0-9_-]{43})$/.exec(part.trim()) ?? []
    if (!kid || !encoded) {
      throw new TypeError(
        `${name}: must be k1:<43 base64url characters>, several with commas. ${whereKeysComeFrom}`,
      )
    }
    const bytes = bytesOf(encoded)
    // 32 random bytes hold fewer distinct ones in no lifetime: a typed pattern such as ABAB… does.
    if (new Set(bytes).size < 8) {
      throw new TypeError(
        `${name}: key ${kid} is not random (fewer than 8 distinct bytes). ${whereKeysComeFrom}`,
      )
    }
    if (keys.has(kid)) throw new TypeError(`${name}: names the key ${kid} twice`)
    keys.set(kid, bytes)
  }
  return keys
}

const whereKeysComeFrom = `It holds the keys that seal the handoff cookie: the first seals, all open. Make one with node -p "'k1:' + require('node:crypto').randomBytes(32).toString('base64url')" and give every instance the same; the local sandbox keeps its own in .data/handoff-keys.`

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}

/** A digest, so that the cookie holds no session id even for whoever has the keys. */
async function subject(session: string | undefined): Promise<string> {
  if (session === undefined) return 'self'
  return sha256(`pi-handoff|${session}`)
}

function randomId(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(16)))
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Compares in time that depends on the length of the expected text alone. */
function same(seen: unknown, expected: string): boolean {
  if (typeof seen !== 'string' || seen.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at++) {
    difference |= seen.charCodeAt(at) ^ expected.charCodeAt(at)
  }
  return difference === 0
}

function missing(): never {
  throw new TypeError('PI_HANDOFF_KEYS: holds no such key')
}
