/**
 * Where the key and the address come from, and what makes them acceptable.
 *
 * Variables are read on first use, never at import. No message repeats a value.
 *
 * @module
 */

import { isLoopback, readOrigin } from '@pi-checkout/contract/origin'
import { apiKeyPattern } from '@pi-checkout/contract/spec-decisions'

/** The two settings without which nothing can be sent. */
export interface Settings {
  readonly apiKey: string
  /** Without a trailing slash. */
  readonly baseUrl: string
}

/**
 * Reads a variable of the process.
 *
 * @param meaning What it holds, where it comes from and where the local sandbox shows its value.
 * @throws {TypeError} It is not set. Set it; nothing was sent.
 */
export function readVariable(name: string, meaning: string): string {
  const value = globalThis.process?.env?.[name]
  if (value) return value
  throw new TypeError(`${name}: is not set. ${meaning}`)
}

/** Reads `PI_API_KEY`. */
export function variableApiKey(): string {
  const key = readVariable(
    'PI_API_KEY',
    'It is the secret API key of your merchant environment; the local sandbox prints one as "apiKey" when "npx pi-service start --json" starts. Set the variable, or pass apiKey to new PaymentIntents().',
  )
  return checkedApiKey(key, 'PI_API_KEY')
}

/** Reads `PI_BASE_URL`. */
export function variableBaseUrl(): string {
  const url = readVariable(
    'PI_BASE_URL',
    'Set it to the base address of the Payment Intents service, or pass baseUrl to new PaymentIntents(). The local sandbox ("npx pi-service start") is at http://127.0.0.1:4000.',
  )
  return checkedBaseUrl(url, 'PI_BASE_URL')
}

/** Refuses a key that could not travel in a header, with a fixed text: fetch would print the key. */
export function checkedApiKey(key: unknown, name = 'apiKey'): string {
  if (typeof key !== 'string' || !/^[\x21-\x7e]{8,512}$/.test(key)) {
    throw new TypeError(
      `${name}: must be one secret API key of visible ASCII characters, without spaces, quotes or line ends around it`,
    )
  }
  if (/_secret_/.test(key)) {
    throw new TypeError(`${name}: is a clientSecret; the server needs the secret API key`)
  }
  if (key.startsWith('pi_sk_') && !apiKeyPattern.test(key)) {
    throw new TypeError(
      `${name}: begins like a secret API key but is cut off or altered; copy the whole key`,
    )
  }
  return key
}

/** Refuses an address that would send the key in the clear, or elsewhere than it reads. */
export function checkedBaseUrl(value: string | URL, name = 'baseUrl'): string {
  const url = URL.canParse(String(value)) ? new URL(String(value)) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new TypeError(`${name}: must be an absolute https URL, such as https://pay.example`)
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new TypeError(`${name}: must be https; http is for this machine only (127.0.0.1)`)
  }
  if (url.username || url.password) {
    throw new TypeError(`${name}: must hold no user name or password; the key travels in a header`)
  }
  if (url.search || url.hash || /[?#]/.test(String(value))) {
    throw new TypeError(`${name}: must hold no query and no fragment`)
  }
  let end = url.href.length
  while (url.href[end - 1] === '/') end--
  return url.href.slice(0, end)
}

/**
 * Reads an origin: https, or http on this machine.
 *
 * @throws {TypeError} Anything else: over http elsewhere, cookies and secrets would be readable.
 */
export function checkedOrigin(
  value: unknown,
  { name, of }: { readonly name: string; readonly of?: string },
): string {
  // The slash that address bars add is forgiven.
  const text = typeof value === 'string' ? value.replace(/\/$/, '') : ''
  const origin = readOrigin(text)
  if (origin) return origin
  const fix = `${shownOrigin(value)}. Set ${of ? `the ${name} option of ${of}` : name}.`
  if (readOrigin(text.replace(/^http:/, 'https:')) && !isLoopback(new URL(text).hostname)) {
    throw new TypeError(
      `${name}: must be https; http is for this machine only (http://localhost:3000); ${fix}`,
    )
  }
  throw new TypeError(
    `${name}: must be a lowercase origin without a path or default port, such as https://shop.example; ${fix}`,
  )
}

/** Shows scheme, host and port: what follows or precedes them may hold a password or a token. */
function shownOrigin(value: unknown): string {
  if (typeof value !== 'string') return `received ${value === null ? 'null' : typeof value}`
  const [, scheme = '', host = '', rest = ''] =
    /^([a-z][a-z\d+.-]*:\/\/)?(?:[^/?#]*@)?([^/?#]*)(.*)$/is.exec(value) ?? []
  const shown = `${scheme}${host}`.slice(0, 60)
  return `received ${JSON.stringify(shown + (rest === '' ? '' : '/…'))}`
}
