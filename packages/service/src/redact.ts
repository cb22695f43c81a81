/**
 * Masks credentials and card numbers in any text, wherever they stand and however they are written.
 *
 * It decodes percent-encoding, ignores case, and takes time in proportion to the text's length.
 *
 * @module
 */

/**
 * Returns a text in which every credential is masked: API keys, client secrets, bearer and session
 * tokens, handoff keys, passwords in addresses, and runs of 12 or more digits.
 *
 * @example redact('key pi_sk_test_4eC39HqLyjWDarjtT1zdp7dc') // 'key pi_sk_test_…'
 */
export function redact(text: string): string {
  const plain = mask(text)
  const decoded = decodePercent(plain)
  if (decoded === undefined) return '…'
  const masked = mask(decoded)
  // A text whose encoding hides no credential stays as it is.
  return masked === decoded ? plain : masked
}

/**
 * Decodes percent-encoding until nothing is encoded: a proxy may have encoded what was encoded before.
 *
 * @returns `undefined` if the text is encoded more often than any client does.
 */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  let decoded = text
  for (let round = 0; round < mostRounds; round++) {
    const next = decoded.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    if (next === decoded) return decoded
    decoded = next
  }
  return undefined
}

const mostRounds = 5

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
const clientSecret = /_secret_[^\s/&?#"'<>(),;]+/gi
/** What can be a token or a key as one word; how long each is decides the rest. */
const word = /[\w.~-]{40,}/g
/** Of a card: together, or in groups as people write them. */
const digits = /\d(?:[ -]?\d){11,}/g

function maskWord(found: string): string {
  return isToken(found) || found.split('.').some(isRandom) ? '…' : found
}

/** A JSON Web Token, signed or encrypted: its header begins with `{"` in base64url. */
function isToken(text: string): boolean {
  return text.startsWith('eyJ') && text.includes('.')
}

/** 32 random bytes as base64url have 43 characters of all kinds; no name in code has. */
function isRandom(part: string): boolean {
  return part.length >= 40 && /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part)
}
