/**
 * The service's settings: flags of the command line first, then environment variables, then defaults.
 *
 * @module
 */
import type { BlockList } from 'node:net'
import { resolve } from 'node:path'
import { readOrigin } from '@pi-checkout/contract/origin'
import { shellQuote } from '../shared/shell-quote.ts'
import { readTrustedProxies } from './http/client-address.ts'

/** Where the data is stored. */
export type StoreChoice =
  /** An absolute path: a command that is pasted elsewhere finds it too. */
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'memory' }
  | { readonly kind: 'postgres'; readonly url: string }

/** Only this host, or every client that reaches the listener: a container's host is another host. */
export type SandboxAccess = 'loopback' | 'network'

/** From nothing, over errors, to a line for each response. */
const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** Everything that a start needs to know. */
export interface Config {
  readonly host: string
  /** Of the API and the hosted page; 0 takes a free one. */
  readonly port: number
  /** Of the challenge page: the next one, or a free one. */
  readonly challengePort: number
  readonly store: StoreChoice
  /** Origins that may show the checkout in the first merchant's test environment, besides the demo shop. */
  readonly origins: readonly string[]
  /** `PI_SECRET_KEYS` as given: the embedded store creates its own if it is missing. */
  readonly secretKeys: string | undefined
  /** Origin that browsers use, where it is not the listener's own. */
  readonly publicUrl: string | undefined
  readonly challengeUrl: string | undefined
  /** Requests per second and environment; `undefined` leaves test environments without a limit. */
  readonly rateLimit: number | undefined
  /** Proxies whose headers name the client's address; `undefined`: no client address is known. */
  readonly trustedProxies: BlockList | undefined
  readonly metrics: boolean
  /** How much is logged. */
  readonly logLevel: LogLevel
  /** From where the sandbox and its inspector can be reached, with the admin token. */
  readonly sandboxFrom: SandboxAccess
}

/** The flags that concern the settings, as the command line hands them over. */
export interface Flags {
  readonly port?: string
  readonly data?: string
  readonly databaseUrl?: string
  readonly memory?: boolean
  readonly shopOrigin?: readonly string[]
}

/**
 * Reads the settings.
 *
 * @throws {TypeError} It names the flag or variable, its rule and the fix, and never shows a secret.
 */
export function readConfig(flags: Flags, env: NodeJS.ProcessEnv): Config {
  const port = readPort(flags.port, '--port') ?? readPort(env.PI_PORT, 'PI_PORT') ?? 4000
  return {
    host: env.PI_HOST || '127.0.0.1',
    port,
    challengePort: port === 0 ? 0 : port + 1,
    store: readStore(flags, env),
    origins: (flags.shopOrigin ?? []).map((origin) => readUrl(origin, '--shop-origin')),
    secretKeys: env.PI_SECRET_KEYS || undefined,
    publicUrl: env.PI_PUBLIC_URL ? readUrl(env.PI_PUBLIC_URL, 'PI_PUBLIC_URL') : undefined,
    challengeUrl: env.PI_CHALLENGE_URL
      ? readUrl(env.PI_CHALLENGE_URL, 'PI_CHALLENGE_URL')
      : undefined,
    rateLimit: readRate(env.PI_RATE_LIMIT),
    trustedProxies: readTrustedProxies(env.PI_TRUSTED_PROXIES),
    metrics:
      readChoice('PI_METRICS', env.PI_METRICS, { values: ['on', 'off'], usual: 'off' }) === 'on',
    logLevel: readChoice('PI_LOG_LEVEL', env.PI_LOG_LEVEL, { values: logLevels, usual: 'warn' }),
    sandboxFrom: readChoice('PI_SANDBOX', env.PI_SANDBOX, { values: ['loopback', 'network'] }),
  }
}

function readRate(text: string | undefined): number | undefined {
  if (!text) return undefined
  const rate = Number(text)
  if (/^\d{1,6}$/.test(text) && rate > 0) return rate
  throw new TypeError('PI_RATE_LIMIT: must be a whole number of requests per second, 1 to 999999')
}

function readStore(flags: Flags, env: NodeJS.ProcessEnv): StoreChoice {
  const chosen = [
    flags.memory && '--memory',
    flags.data && '--data',
    flags.databaseUrl && '--database-url',
  ]
  const named = chosen.filter(Boolean)
  if (named.length > 1) {
    throw new TypeError(`${named.join(' and ')} exclude each other; give one of them`)
  }
  if (flags.memory) return { kind: 'memory' }
  if (flags.data) return { kind: 'directory', directory: resolve(flags.data) }
  const url = flags.databaseUrl ?? (env.PI_DATABASE_URL || undefined)
  if (url === undefined) {
    return { kind: 'directory', directory: resolve(env.PI_DATA_DIR || defaultDirectory) }
  }
  if (!/^postgres(ql)?:\/\//.test(url)) {
    const name = flags.databaseUrl ? '--database-url' : 'PI_DATABASE_URL'
    throw new TypeError(
      `${name}: must begin with postgres://, as in postgres://user@host:5432/name`,
    )
  }
  return { kind: 'postgres', url }
}

/**
 * Returns the options with which a command reaches this store, to be pasted behind it in any folder.
 *
 * @returns `undefined` for a store in memory: no other process reaches it.
 */
export function storeOptions(store: StoreChoice): string | undefined {
  switch (store.kind) {
    case 'memory':
      return undefined
    case 'postgres':
      // The address may hold a password.
      return ' --database-url "$PI_DATABASE_URL"'
    case 'directory':
      return ` --data ${shellQuote(store.directory)}`
  }
}

const defaultDirectory = '.data/service'

function readPort(text: string | undefined, name: string): number | undefined {
  if (!text) return undefined
  const port = Number(text)
  // 65534, because the challenge page takes the next one.
  if (!/^\d+$/.test(text) || port > 65534) {
    throw new TypeError(`${name}: must be a whole number from 0 to 65534; 0 takes a free port`)
  }
  return port
}

/** Reads a setting with a few values; the first one counts if it is left out. */
function readChoice<Value extends string>(
  name: string,
  text: string | undefined,
  {
    values,
    usual = values[0],
  }: { readonly values: readonly [Value, ...Value[]]; readonly usual?: Value },
): Value {
  const value = values.find((each) => each === (text || usual))
  if (value) return value
  const rule = values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ')
  throw new TypeError(`${name}: must be ${rule}; leave it out for ${usual}`)
}

/** An origin: https, or http on loopback, where the traffic never leaves the machine. */
function readUrl(text: string, name: string): string {
  const origin = readOrigin(text)
  if (origin) return origin
  throw new TypeError(
    `${name}: must be an origin such as https://pay.example.com, without path or trailing slash; http passes on loopback only`,
  )
}
