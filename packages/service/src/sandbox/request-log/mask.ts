/** Masks credentials and ids in paths. @module */
import { decodePercent } from '../../redact.ts'

/** Returns the path of a URL with masked credentials, also percent-encoded ones. */
export function maskPath(url: string): string {
  const [path = ''] = url.split('?', 1)
  const text = decodePercent(path)
  if (text === undefined) return '/…'
  // Return the path as sent unless it contains a credential.
  if (!credential.test(text)) return path.slice(0, maxPath)
  return maskCredentials(text).slice(0, maxPath)
}

export function maskCredentials(text: string): string {
  return text
    .replace(/_secret_[^/]*/gi, '_secret_…')
    .replace(/(pi_sk_(?:test|live)_)[^/]*/gi, '$1…')
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

const credential = /_secret_|pi_sk_(?:test|live)_/i
const wholeCredential = /_secret_[a-z0-9]|pi_sk_(?:test|live)_/i

const maxPath = 200

/** Minimum length of an address with a credential: `/pi_sk_test_` and 36 characters. */
const minLength = 48
