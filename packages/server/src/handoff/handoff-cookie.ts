/**
 * The encrypted cookie with which one browser session resumes a handoff after a reload.
 *
 * Retrieve does not return the secret, and a database should not store it, so the browser stores it encrypted. An
 * invalid cookie is ignored.
 *
 * @module
 */
import { ConfigurationError, malformedOption } from '../client/errors.ts'
import { type Handoff, maskedHandoff } from '../client/payment-intents.ts'
import { sha256 } from '../client/sha256.ts'
import type { ResumeCookieOptions } from './options.ts'

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
  /** The merchant: service and API key, as `PaymentIntents.tenant()` returns them. */
  readonly tenant: string | undefined
}

/** A cookie that was read. */
export interface ResumedHandoff {
  readonly handoff: Handoff
  /** `Set-Cookie` that removes it. */
  readonly clear: string
}

/** Writes and reads the cookie of a shop. */
export interface HandoffCookie {
  /** Returns `Set-Cookie` for a handoff at an origin of the shop. */
  readonly set: (
    handoff: Handoff,
    at: HandoffBinding & { readonly origin: string },
  ) => Promise<string>
  /**
   * Reads a `Cookie` header that may be from any of the origins.
   *
   * @param at - With `key` for exactly that cart.
   * @returns `undefined` without a valid cookie for this binding.
   */
  readonly read: (
    header: string | undefined,
    at: Omit<HandoffBinding, 'key'> & {
      readonly key?: string | undefined
      readonly origins: readonly string[]
    },
  ) => Promise<ResumedHandoff | undefined>
}

/**
 * Creates the cookie of a shop.
 *
 * @returns `undefined` for a shop without the cookie: `options` is `false`, or there are no keys.
 * @throws {ConfigurationError} If the keys or another option is malformed. The message does not contain the keys.
 */
export async function createHandoffCookie(
  options: ResumeCookieOptions | false,
  clock: () => number,
): Promise<HandoffCookie | undefined> {
  if (options === false) return undefined
  const { name, path, maxAge } = readOptions(options)
  const text = options.keys ?? (globalThis.process?.env?.PI_HANDOFF_KEYS || undefined)
  if (text === undefined) return undefined
  const variable = options.keys === undefined ? 'PI_HANDOFF_KEYS' : 'keys'
  // Imported here: jose takes tens of milliseconds to load, and many processes need no cookie.
  const { base64url, EncryptJWT, jwtDecrypt } = await import('jose')
  const keys = await importKeys(readKeys(text, { variable, decode: base64url.decode }))
  const [[kid, encryptionKey] = unknownKey()] = keys
  // WebKit drops Secure cookies of http on loopback (bug 281149). http is accepted on loopback only.
  const secured = {
    name: `${path === '/' ? '__Host-' : '__Secure-'}${name}`,
    attributes: `Path=${path}; HttpOnly; SameSite=Strict; Secure`,
  }
  const plain = { name, attributes: `Path=${path}; HttpOnly; SameSite=Strict` }
  const formOf = (origin: string) => (origin.startsWith('https:') ? secured : plain)
  const decrypt = async (value: string, issuer: string[]) => {
    const options = {
      issuer,
      audience: issuer,
      requiredClaims: ['exp', 'iat', 'sub', 'jti'],
      clockTolerance: 5,
      currentDate: new Date(clock()),
      typ,
      maxTokenAge: maxAge,
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      maxDecompressedLength: 0,
    }
    const result = await jwtDecrypt(value, ({ kid = '' }) => keys.get(kid) ?? unknownKey(), options)
    return result.payload
  }
  return {
    set: async (handoff, { origin, session, orderId, key, tenant }) => {
      const now = Math.floor(clock() / 1000)
      const claims = { ord: orderId, ik: key, pi: handoff.id, cs: handoff.clientSecret, tn: tenant }
      const value = await new EncryptJWT(claims)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ, kid })
        .setIssuer(origin)
        .setAudience(origin)
        .setSubject(await subjectOf(session))
        .setJti(crypto.randomUUID())
        .setIssuedAt(now)
        .setExpirationTime(now + maxAge)
        .encrypt(encryptionKey)
      const form = formOf(origin)
      return `${form.name}=${value}; Max-Age=${maxAge}; ${form.attributes}`
    },
    read: async (header, { origins, session, orderId, key, tenant }) => {
      for (const form of new Set(origins.map(formOf))) {
        const value = readCookie(header, form.name)
        if (value === undefined || value.length > maxLength) continue
        try {
          const issuers = origins.filter((origin) => formOf(origin) === form)
          const { sub, ord, ik, pi, cs, tn } = await decrypt(value, issuers)
          const matches =
            sub === (await subjectOf(session)) &&
            ord === orderId &&
            tn === tenant &&
            (key === undefined || ik === key)
          if (!matches || typeof pi !== 'string' || typeof cs !== 'string') continue
          const clear = `${form.name}=; Max-Age=0; ${form.attributes}`
          return { handoff: maskedHandoff(pi, cs), clear }
        } catch {
          // The errors of jose contain the decrypted claims, including the secret. Don't log them.
        }
      }
      return undefined
    },
  }
}

function readOptions({ name = 'pi-handoff', path = '/', maxAge = 1800 }: ResumeCookieOptions) {
  if (!/^(?!__)[\w-]{1,64}$/.test(name)) {
    const rule = 'must be 1 to 64 letters, digits, _ or -, without __ at the start'
    throw malformedOption('resumeCookie.name', rule, name)
  }
  if (!/^\/[\w./~-]*$/.test(path)) {
    throw malformedOption('resumeCookie.path', 'must be a path such as "/checkout"', path)
  }
  if (!Number.isSafeInteger(maxAge) || maxAge < 1 || maxAge > 86_400) {
    const rule = 'must be a whole number of seconds from 1 to 86400'
    throw malformedOption('resumeCookie.maxAge', rule, maxAge)
  }
  return { name, path, maxAge }
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
      throw new ConfigurationError(
        variable,
        `must be k1:<43 base64url characters>, several with commas. ${newKey}`,
      )
    }
    const bytes = new Uint8Array(decode(encoded))
    // 32 random bytes practically always have more distinct ones. A typed pattern such as ABAB… has fewer.
    if (new Set(bytes).size < 8) {
      throw new ConfigurationError(
        variable,
        `key ${kid} is not random (fewer than 8 distinct bytes). ${newKey}`,
      )
    }
    if (keys.has(kid)) throw new ConfigurationError(variable, `contains the key ${kid} twice.`)
    keys.set(kid, bytes)
  }
  return keys
}

const newKey = `It contains the keys for the resume cookie. Generate one with node -p "'k1:' + require('node:crypto').randomBytes(32).toString('base64url')", and set the same keys on every instance. The local sandbox stores its keys in .data/handoff-keys.`

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
