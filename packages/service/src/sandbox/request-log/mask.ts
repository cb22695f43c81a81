/**
 * Masks credentials in texts of a request that are shown, wherever a client put them.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { decodePercent } from '../../redact.ts'

/**
 * Returns the path of a URL without its query, and without any credential in it, however it is encoded.
 */
export function maskPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  const text = decodePercent(path)
  if (text === undefined) return '/…'
  // As it was sent, unless a credential stood in it.
  if (!credential.test(text)) return path.slice(0, maxPath)
  return text
    .replace(/_secret_[^/]*/gi, '_secret_…')
    .replace(/(pi_sk_(?:test|live)_)[^/]*/gi, '$1…')
    .slice(0, maxPath)
}

/** Leaves no id of an intent in a path: it may be a live one. */
export function maskIds(path: string): string {
  const text = decodePercent(path) ?? ''
  const shown = text.toLowerCase().includes('pi_') ? text : path
  // `pi_sk` begins a key, which is masked already.
  return shown.replace(/pi_[a-z0-9]+/gi, (id) => (id.toLowerCase() === 'pi_sk' ? id : 'pi_…'))
}

/** Tells whether an address carries a credential, however encoded: it then stands in histories and logs. */
export function hasSecret(url: string): boolean {
  if (url.length < shortest) return false
  const text = decodePercent(url)
  return text === undefined || wholeCredential.test(text)
}

const credential = /_secret_|pi_sk_(?:test|live)_/i
const wholeCredential = /_secret_[a-z0-9]|pi_sk_(?:test|live)_/i

/** Returns enough of an idempotency key to recognise it, and to tell it from one that is much alike. */
export function maskKey(key: string): string {
  const mark = digestOf(key).slice(0, 4)
  if (key.length < 12) return `${key.slice(0, 2)}… ${mark}`
  return `${key.slice(0, 6)}…${key.slice(-4)} ${mark}`
}

/** Returns the SHA-256 of a text, in hex. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const maxPath = 200

/** `/pi_sk_test_` and 36 characters: an address with a whole credential is no shorter. */
const shortest = 48
