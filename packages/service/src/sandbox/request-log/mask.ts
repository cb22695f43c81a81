/** Masks credentials in headers, and ids in paths. @module */
import { decodePercent } from '../../redact.ts'

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
  if (url.length < minLength) return false
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

/** Length of an API key. A client secret is longer. */
const minLength = 64
