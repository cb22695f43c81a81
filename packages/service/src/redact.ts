/**
 * Masks credentials and card numbers in texts of clients and libraries, in time linear in the length.
 *
 * @module
 */

/**
 * Masks API keys, client secrets, bearer and session tokens, handoff keys, passwords in URLs, and numbers of 12
 * or more digits.
 *
 * @example redact(`key ${process.env.PI_API_KEY}`) // 'key pi_sk_test_…'
 */
export function redact(text: string): string {
  const plain = mask(text)
  const decoded = decodePercent(plain)
  if (decoded === undefined) return '…'
  if (decoded === plain) return plain
  const masked = mask(decoded)
  // Return the original encoding unless it hid a credential.
  return masked === decoded ? plain : masked
}

/** Decodes repeated percent-encoding, as proxies add it: five times, or returns `undefined`. */
function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  let decoded = text
  for (let round = 0; round < maxRounds; round++) {
    const next = decoded.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (next === decoded) return decoded
    decoded = next
  }
  return undefined
}

const maxRounds = 5

function mask(text: string): string {
  return text
    .replace(addressPassword, '://…@')
    .replace(namedPassword, '$1=…')
    .replace(bearer, '$1 …')
    .replace(apiKey, '$1…')
    .replace(clientSecret, '_secret_…')
    .replace(word, maskWord)
    .replace(digits, '…')
}

/** `://user:password@host`, up to the last `@` before a slash. */
const addressPassword = /:\/\/[^\s/"'<>]*@/g
const namedPassword = /\b(password|pgpassword|passwd|pwd)=[^\s&"',;]+/gi
const bearer = /\b(bearer)[ +]{1,4}[\w.~+/=-]{8,2000}/gi
const apiKey = /(pi_sk_(?:test|live)_)[^\s/&?#"'<>(),;]*/gi
// At least eight characters: `PI_HANDOFF_KEYS` is a name.
const clientSecret = /_secret_[^\s/&?#"'<>(),;]{8,}/gi
/** A word that may contain a token or a key: shorter than both is 32 bytes as base64url. `maskWord` decides. */
const word = /(?<![\w.~-])[\w.~-]{40,}/g
/** Digits of a card number, which may be in groups. */
const digits = /\d(?:[ -]?\d){11,}/g

function maskWord(found: string): string {
  return isToken(found) || found.split('.').some(isRandom) ? '…' : found
}

/** Returns whether a text is a JSON Web Token. Its header begins with `{"` in base64url. */
function isToken(text: string): boolean {
  return text.startsWith('eyJ') && text.includes('.')
}

/**
 * Returns whether a text may be a random key: 32 bytes have 43 mixed characters as base64url, and 64 hexadecimal digits,
 * as in a client secret.
 */
function isRandom(part: string): boolean {
  if (/[0-9a-f]{64}/i.test(part)) return true
  return part.length >= 40 && /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part)
}

/** Masks credentials and card numbers. Idempotency keys may be random, so they stay. */
export function maskCredentials(text: string): string {
  return text.replace(credential, '$1…')
}

/** Masks ids of intents in a path, because they may be live. */
export function maskIds(path: string): string {
  const text = decodePercent(path) ?? ''
  const shown = text.toLowerCase().includes('pi_') ? text : path
  // `pi_sk` is the prefix of a key, which is masked already.
  return shown.replace(/pi_[a-z0-9]+/gi, (id) => (id.toLowerCase() === 'pi_sk' ? id : 'pi_…'))
}

/** Returns whether an address contains a credential, also percent-encoded. */
export function hasSecret(url: string): boolean {
  const text = decodePercent(url)
  return text === undefined || wholeCredential.test(text)
}

/**
 * A secret or a key, of which the prefix is shown, or a card number: 15 to 19 digits that begin as one. An idempotency
 * key may contain a time, which begins with 1 or 20.
 */
const credential =
  /(_secret_|pi_sk_(?:test|live)_)[^/]*|(?<!\d)(?:[3-6]|2[ -]?[2-7])(?:[ -]?\d){13,18}(?!\d)/gi
const wholeCredential = /_secret_[a-z0-9]|pi_sk_(?:test|live)_/i
