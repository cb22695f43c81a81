/**
 * API key, base URL, and origins: where they come from, and which are valid.
 *
 * Environment variables are read on first use. No message contains a value.
 *
 * @module
 */
import { isLoopback, readOrigin } from '@pi-checkout/contract/origin'
import { apiKeyPattern } from '@pi-checkout/contract/spec-decisions'
import { ConfigurationError } from './errors.ts'

export const sandboxHint =
  'For the local sandbox, start your shop with "npx pi-service exec -- COMMAND", which sets it.'

/**
 * Reads an environment variable.
 *
 * @param fix - What to set it to.
 * @throws {ConfigurationError} If it is not set.
 */
export function readVariable(name: string, fix: string): string {
  const value = globalThis.process?.env?.[name]
  if (value) return value
  const rule = `environment variable is not set. ${fix} ${sandboxHint}`
  throw new ConfigurationError(name, rule, 'missing_variable')
}

export function variableApiKey(): string {
  const fix = 'Set it to your secret API key, or pass apiKey to new PaymentIntents().'
  return checkedApiKey(readVariable('PI_API_KEY', fix), 'PI_API_KEY')
}

export function variableBaseUrl(): string {
  const fix = 'Set it to the base URL of the service, or pass baseUrl to new PaymentIntents().'
  return checkedBaseUrl(readVariable('PI_BASE_URL', fix), 'PI_BASE_URL')
}

/** Returns the key, if it is valid in a header. The error of `fetch` would contain the key. */
export function checkedApiKey(key: unknown, name = 'apiKey'): string {
  if (typeof key !== 'string' || !/^[\x21-\x7e]{8,512}$/.test(key) || /["']/.test(key)) {
    const rule = 'must be one secret API key of visible ASCII characters'
    throw new ConfigurationError(name, `${rule}, without spaces, quotes, or line breaks.`)
  }
  if (/_secret_/.test(key)) {
    throw new ConfigurationError(name, `is a clientSecret. Set it to the secret API key.`)
  }
  if (key.startsWith('pi_sk_') && !apiKeyPattern.test(key)) {
    const rule = 'must be pi_sk_test_ or pi_sk_live_, the environment (16 letters and digits)'
    const rest = 'an underscore, and 36 letters and digits. Copy the complete key again.'
    throw new ConfigurationError(name, `${rule}, ${rest}`)
  }
  return key
}

/** Returns the environment of a key, with its public random id; `undefined` for a key of another form. */
export function environmentOf(
  apiKey: string,
): { readonly mode: 'test' | 'live'; readonly id: string } | undefined {
  const [, mode, id] = apiKeyPattern.exec(apiKey) ?? []
  return id !== undefined && (mode === 'test' || mode === 'live') ? { mode, id } : undefined
}

/** Returns a base URL without trailing slashes. Over plain http, the key would be readable. */
export function checkedBaseUrl(value: string | URL, name = 'baseUrl'): string {
  const url = URL.canParse(String(value)) ? new URL(String(value)) : undefined
  const fail = (rule: string): never => {
    throw new ConfigurationError(name, `must ${rule}`)
  }
  if (!url || !/^https?:$/.test(url.protocol)) {
    return fail('be an absolute https URL, such as https://pay.example.')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    fail('be https. http is for loopback only, such as http://127.0.0.1:4000.')
  }
  if (url.username || url.password) {
    fail('not contain a user name or password. The key is sent in a header.')
  }
  if (/[?#]/.test(String(value))) {
    fail('not contain a query or a fragment.')
  }
  let end = url.href.length
  while (url.href[end - 1] === '/') end--
  return url.href.slice(0, end)
}

/**
 * Returns an origin. A trailing slash, which address bars add, is accepted.
 *
 * @param at - `name` of the option or variable, and the function `of` which it is an option.
 * @throws {ConfigurationError} If it is not an https origin, or an http origin on loopback.
 */
export function checkedOrigin(
  value: unknown,
  { name, of }: { readonly name: string; readonly of?: string },
): string {
  const text = typeof value === 'string' ? value.replace(/\/$/, '') : ''
  const origin = readOrigin(text)
  if (origin) return origin
  const insecure =
    readOrigin(text.replace(/^http:/, 'https:')) && !isLoopback(new URL(text).hostname)
  const rule = insecure
    ? 'https; http is for loopback only, such as http://localhost:3000'
    : 'a lowercase origin without a path or default port, such as https://shop.example'
  const target = of ? `the ${name} option of ${of}` : name
  throw new ConfigurationError(name, `must be ${rule}. Set ${target}.`)
}
