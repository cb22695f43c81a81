/** Settings of the service. Command-line options override environment variables, which override defaults. @module */
import { resolve } from 'node:path'
import { readOrigin } from '@pi-checkout/contract/origin'
import { SettingError } from './explained-error.ts'
import { readTrustedProxies } from './http/trusted-proxies.ts'
import { quote } from './redact.ts'

export type StoreChoice =
  /** `directory` is absolute, so that shown commands work in other folders. */
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'memory' }
  | { readonly kind: 'postgres'; readonly url: string }

/** Clients that may use the sandbox: those on this host, or all that reach the service. */
export type SandboxAccess = 'loopback' | 'network'

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const

export type Config = Readonly<ReturnType<typeof readConfig>>

export interface Flags {
  readonly port?: string
  readonly data?: string
  readonly databaseUrl?: string
  readonly memory?: boolean
  readonly demo?: boolean
  readonly shopOrigin?: readonly string[]
}

/** Names of the options in errors: those of the command line, or of `startService()`. */
const optionNames = {
  port: '--port',
  shopOrigin: '--shop-origin',
  logLevel: 'PI_LOG_LEVEL',
}

/** @throws {SettingError} If settings are invalid. It has a line for each, which names it and the fix, but no secret. */
export function readConfig(flags: Flags, env: NodeJS.ProcessEnv, names = optionNames) {
  const settings = readAll({
    /** Port of the API and the hosted page. 0 selects a free port. */
    port: () => readPort(flags.port, names.port) ?? 4000,
    store: () => readStore(flags, env),
    /** Origins to register for the first merchant's test environment. */
    origins: () => (flags.shopOrigin ?? []).map((origin) => readUrl(origin, names.shopOrigin)),
    /** Public origins, if they differ from those of the listeners. */
    publicUrl: () => (env.PI_PUBLIC_URL ? readUrl(env.PI_PUBLIC_URL, 'PI_PUBLIC_URL') : undefined),
    challengeUrl: () =>
      env.PI_CHALLENGE_URL ? readUrl(env.PI_CHALLENGE_URL, 'PI_CHALLENGE_URL') : undefined,
    /** Requests per second for each environment. If `undefined`, test environments have no limit. */
    rateLimit: () => readInteger('PI_RATE_LIMIT', env.PI_RATE_LIMIT, perSecond),
    /** Proxies whose headers contain the client's address. If `undefined`, client addresses are unknown. */
    trustedProxies: () => readTrustedProxies(env.PI_TRUSTED_PROXIES),
    /** Milliseconds between a signal to stop and the end of the listeners. */
    drain: () => readInteger('PI_DRAIN_MS', env.PI_DRAIN_MS, milliseconds),
    logLevel: () =>
      readChoice(names.logLevel, env.PI_LOG_LEVEL, { values: logLevels, usual: 'warn' }),
    sandboxFrom: (): SandboxAccess =>
      readChoice('PI_SANDBOX', env.PI_SANDBOX, { values: ['loopback', 'network'] }),
  })
  const { port, store, drain, ...others } = settings
  return {
    ...others,
    port,
    challengePort: port === 0 ? 0 : port + 1,
    store,
    host: env.PI_HOST || '127.0.0.1',
    /** Name of the setting that selects the ports, for errors. */
    portName: names.port,
    /** Whether a start with PostgreSQL creates the demo merchant. Other stores always have it. */
    demo: flags.demo ?? false,
    /** If it is missing, a data directory has one. */
    secretKey: env.PI_SECRET_KEY || undefined,
    drainMs: drain ?? (store.kind === 'postgres' ? 5000 : 0),
  }
}

/** Reads all settings, so that the error names every invalid one. */
function readAll<Readers extends Readonly<Record<string, () => unknown>>>(
  readers: Readers,
): { readonly [Name in keyof Readers]: ReturnType<Readers[Name]> } {
  const problems: string[] = []
  const values = Object.entries(readers).map(([name, read]) => {
    try {
      return [name, read()]
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      problems.push(error.message)
      return [name, undefined]
    }
  })
  if (problems.length > 0) throw new SettingError(problems.join('\n'))
  // `Object.fromEntries` loses the types of the entries.
  return Object.fromEntries(values) as { [Name in keyof Readers]: ReturnType<Readers[Name]> }
}

function readStore(flags: Flags, env: NodeJS.ProcessEnv): StoreChoice {
  const chosen = [
    flags.memory && '--memory',
    flags.data && '--data',
    flags.databaseUrl && '--database-url',
  ].filter(Boolean)
  if (chosen.length > 1) {
    throw new SettingError(`${chosen.join(' and ')}: cannot be combined. Use one of them.`)
  }
  if (flags.memory) return { kind: 'memory' }
  if (flags.data) return { kind: 'directory', directory: resolve(flags.data) }
  const url = flags.databaseUrl ?? (env.PI_DATABASE_URL || undefined)
  if (url === undefined) {
    return { kind: 'directory', directory: resolve(env.PI_DATA_DIR || defaultDirectory) }
  }
  if (!/^postgres(ql)?:\/\//.test(url)) {
    const name = flags.databaseUrl ? '--database-url' : 'PI_DATABASE_URL'
    throw new SettingError(
      `${name}: must begin with postgres://, such as postgres://user@host:5432/name.`,
    )
  }
  return { kind: 'postgres', url }
}

const defaultDirectory = '.data/service'

function readPort(text: string | undefined, name: string): number | undefined {
  // At most 65534, because the test bank uses the next port.
  return readInteger(name, text, { min: 0, max: 65_534, note: ' (0 selects a free port)' })
}

const perSecond = { min: 1, max: 999_999, note: ', in requests per second' }
const milliseconds = { min: 0, max: 60_000, note: ', in milliseconds' }

function readInteger(
  name: string,
  text: string | undefined,
  { min, max, note }: { readonly min: number; readonly max: number; readonly note: string },
): number | undefined {
  if (!text) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw invalid({ [name]: text }, `an integer from ${min} to ${max}${note}`)
}

/** Reads a setting with a few values. The default is `usual`, or the first value. */
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
  throw invalid({ [name]: text }, `${rule} (default ${usual})`)
}

/** Reads an origin: https, or http on loopback, where traffic does not leave the host. */
function readUrl(text: string, name: string): string {
  const origin = readOrigin(text)
  if (origin) return origin
  throw new SettingError(
    `${name}: must be an origin such as https://pay.example.com, without a path or trailing slash. http is accepted for loopback only.`,
  )
}

function invalid(
  setting: Readonly<Record<string, string | undefined>>,
  rule: string,
): SettingError {
  const [[name, text = ''] = []] = Object.entries(setting)
  return new SettingError(`${name}: must be ${rule}; received ${quote(text)}.`)
}
