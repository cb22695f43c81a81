/**
 * The encrypted cookie with which one browser session resumes a handoff after a reload.
 *
 * Retrieve does not return the secret, and a database should not store it, so the browser stores it encrypted. An
 * invalid cookie is ignored.
 *
 * @module
 */
import { readVariable } from '../client/configuration.ts'
import { type Handoff, maskedHandoff } from '../client/payment-intents.ts'
import { sha256 } from '../client/sha256.ts'

/** Seconds for which a cookie is valid. */
const lifetime = 1800

/** Maximum length of a cookie that is decrypted. */
const maxLength = 4096

const typ = 'pi-handoff+jwt'

/** What a handoff is for. */
export interface HandoffBinding {
  /** The shop's session; `undefined` in a shop without sessions. */
  readonly session: string | undefined
  readonly orderId: string
  /** Idempotency key of the create, which depends on order, amount, currency, and attempt. */
  readonly key: string
}

/** Writes and reads the cookie of a shop. */
export interface HandoffCookie {
  /** Returns `Set-Cookie` for a handoff. */
  readonly set: (handoff: Handoff, binding: HandoffBinding) => Promise<string>
  /**
   * Reads a `Cookie` header.
   *
   * @param binding - With `key` for exactly that cart.
   * @returns `undefined` without a valid cookie for this binding.
   */
  readonly read: (
    header: string | undefined,
    binding: Omit<HandoffBinding, 'key'> & { readonly key?: string },
  ) => Promise<Handoff | undefined>
  /** Returns `Set-Cookie` that removes the cookie. */
  readonly clear: () => string
}

/**
 * Creates the cookie of a shop.
 *
 * @param options - `keys` as `k2:<43 base64url characters>,k1:…`: the first encrypts, every key decrypts. `undefined`
 * reads `PI_HANDOFF_KEYS`.
 * @throws {TypeError} If the keys are missing or malformed. The message does not contain them.
 */
export async function createHandoffCookie(options: {
  readonly origin: string
  readonly keys: string | undefined
  readonly clock: () => number
}): Promise<HandoffCookie> {
  const { origin, clock } = options
  const variable = options.keys === undefined ? 'PI_HANDOFF_KEYS' : 'keys'
  const text = options.keys ?? readVariable('PI_HANDOFF_KEYS', newKey)
  // Imported here: jose takes tens of milliseconds to load, and many processes need no cookie.
  const { base64url, EncryptJWT, jwtDecrypt } = await import('jose')
  const keys = await importKeys(readKeys(text, { variable, decode: base64url.decode }))
  const [[kid, encryptionKey] = unknownKey()] = keys
  // WebKit drops Secure cookies of http on loopback (bug 281149). http is accepted on loopback only.
  const isHttps = origin.startsWith('https:')
  const name = isHttps ? '__Host-pi-handoff' : 'pi-handoff'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`
  return {
    set: async (handoff, { session, orderId, key }) => {
      const now = Math.floor(clock() / 1000)
      const claims = { ord: orderId, ik: key, pi: handoff.id, cs: handoff.clientSecret }
      const value = await new EncryptJWT(claims)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ, kid })
        .setIssuer(origin)
        .setAudience(origin)
        .setSubject(await subjectOf(session))
        .setJti(crypto.randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + lifetime)
        .encrypt(encryptionKey)
      return `${name}=${value}; Max-Age=${lifetime}; ${attributes}`
    },
    read: async (header, { session, orderId, key }) => {
      const value = readCookie(header, name)
      if (value === undefined || value.length > maxLength) return undefined
      try {
        const { payload } = await jwtDecrypt(
          value,
          ({ kid = '' }) => keys.get(kid) ?? unknownKey(),
          {
            issuer: origin,
            audience: origin,
            requiredClaims: ['exp', 'iat', 'sub', 'jti'],
            clockTolerance: 5,
            currentDate: new Date(clock()),
            typ,
            maxTokenAge: lifetime,
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
            maxDecompressedLength: 0,
          },
        )
        const { sub, ord, ik, pi, cs } = payload
        const matches =
          sub === (await subjectOf(session)) && ord === orderId && (key === undefined || ik === key)
        if (!matches || typeof pi !== 'string' || typeof cs !== 'string') return undefined
        return maskedHandoff(pi, cs)
      } catch {
        // The errors of jose contain the decrypted claims, including the secret. Don't log them.
        return undefined
      }
    },
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}

type Keys = ReadonlyMap<string, Uint8Array<ArrayBuffer>>
type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

// Once: jose would import raw bytes for each cookie.
async function importKeys(keys: Keys): Promise<ReadonlyMap<string, ImportedKey>> {
  const imported = [...keys].map(async ([kid, bytes]) => {
    const key = crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
    return [kid, await key] as const
  })
  return new Map(await Promise.all(imported))
}

function readKeys(
  text: string,
  {
    variable,
    decode,
  }: { readonly variable: string; readonly decode: (text: string) => Uint8Array },
): Keys {
  const keys = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const part of text.split(',')) {
    const [, kid, encoded] = /^([a-z0-9]{1,8}):([A-Za-z0-9_-]{43})$/.exec(part.trim()) ?? []
    if (!kid || !encoded) {
      throw new TypeError(
        `${variable}: must be k1:<43 base64url characters>, several with commas. ${newKey}`,
      )
    }
    const bytes = new Uint8Array(decode(encoded))
    // 32 random bytes practically always have more distinct ones. A typed pattern such as ABAB… has fewer.
    if (new Set(bytes).size < 8) {
      throw new TypeError(
        `${variable}: key ${kid} is not random (fewer than 8 distinct bytes). ${newKey}`,
      )
    }
    if (keys.has(kid)) throw new TypeError(`${variable}: contains the key ${kid} twice.`)
    keys.set(kid, bytes)
  }
  return keys
}

const newKey = `It contains the keys for the handoff cookie. Generate one with node -p "'k1:' + require('node:crypto').randomBytes(32).toString('base64url')", and set the same keys on every instance. The local sandbox stores its keys in .data/handoff-keys.`

function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key, ...value] = pair.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}

/** A digest, so that the cookie does not contain the session id. */
async function subjectOf(session: string | undefined): Promise<string> {
  return session === undefined ? 'self' : sha256(`pi-handoff|${session}`)
}

function unknownKey(): never {
  throw new TypeError('PI_HANDOFF_KEYS: does not contain this key.')
}
