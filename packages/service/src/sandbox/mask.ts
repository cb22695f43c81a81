/**
 * Makes texts of a request fit to be shown: credentials that somebody put where they do not belong
 * come out as dots.
 *
 * @module
 */
import { createHash } from 'node:crypto'

/** Returns the path of a URL without its query, and without any credential in it. */
export function maskPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path
    .replace(/_secret_[^/]*/g, '_secret_…')
    .replace(/(pi_sk_(?:test|live)_)[^/]*/g, '$1…')
    .slice(0, maxPath)
}

/** Leaves no id of an intent in a path: it may be a live one. */
export function maskIds(path: string): string {
  return path.replace(/pi(?:_|%5f)(?!sk_)[A-Za-z0-9]+/gi, 'pi_…')
}

/** Tells whether an address carries a credential: it then stands in histories and logs. */
export function hasSecret(url: string): boolean {
  return url.length >= shortest && /_secret_[A-Za-z0-9]|pi_sk_(?:test|live)_/.test(url)
}

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
