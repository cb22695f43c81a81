/** Settings of the service. Command-line options override environment variables, which override defaults. @module */
import { resolve } from 'node:path'
import { readOrigin } from '@pi-checkout/contract/origin'
import { z } from 'zod'
import { SettingError } from './explained-error.ts'

export type StoreChoice =
  /** `directory` is absolute, so that shown commands work in other folders. */
  | { readonly kind: 'directory'; readonly directory: string }
  | { readonly kind: 'memory' }
  | { readonly kind: 'postgres'; readonly url: string }

export type Config = Readonly<ReturnType<typeof readConfig>>

/** Clients that may use the sandbox: those on this host, or all that reach the service. */
export type SandboxAccess = Config['sandboxFrom']

export interface Flags {
  readonly port?: string
  readonly data?: string
  readonly databaseUrl?: string
  readonly memory?: boolean
  readonly demo?: boolean
  readonly shopOrigin?: readonly string[]
}

/** An origin: https, or http on loopback, where traffic does not leave the host. */
const Origin = z
  .string()
  .refine(
    (text) => readOrigin(text) !== undefined,
    'must be an origin such as https://pay.example.com, without a path or trailing slash. http is accepted for loopback only.',
  )

const Settings = z.object({
  /** Port of the API and the hosted page. 0 selects a free port. The test bank uses the next port. */
  port: integer({ min: 0, max: 65_534, note: ' (0 selects a free port)' }).default(4000),
  /** Origins to register for the first merchant's test environment. */
  origins: z.array(Origin),
  /** Public origins, if they differ from those of the listeners. */
  publicUrl: Origin.optional(),
  challengeUrl: Origin.optional(),
  /** Requests per second for each environment. If `undefined`, test environments have no limit. */
  rateLimit: integer({ min: 1, max: 999_999, note: ', in requests per second' }).optional(),
  /** Milliseconds between a signal to stop and the end of the listeners. */
  drainMs: integer({ min: 0, max: 60_000, note: ', in milliseconds' }).optional(),
  logLevel: choice(['silent', 'error', 'warn', 'info'], 'warn'),
  sandboxFrom: choice(['loopback', 'network'], 'loopback'),
})

/** Names of the settings in errors. `startService()` has other names for its options. */
const settingNames: Readonly<Record<string, string>> = {
  port: '--port',
  origins: '--shop-origin',
  publicUrl: 'PI_PUBLIC_URL',
  challengeUrl: 'PI_CHALLENGE_URL',
  rateLimit: 'PI_RATE_LIMIT',
  drainMs: 'PI_DRAIN_MS',
  logLevel: 'PI_LOG_LEVEL',
  sandboxFrom: 'PI_SANDBOX',
}

/** @throws {SettingError} If settings are invalid. It has a line for each, which names it and the rule, but no value. */
export function readConfig(flags: Flags, env: NodeJS.ProcessEnv, names = settingNames) {
  const { data, error } = Settings.safeParse({
    port: flags.port,
    origins: flags.shopOrigin ?? [],
    publicUrl: env.PI_PUBLIC_URL || undefined,
    challengeUrl: env.PI_CHALLENGE_URL || undefined,
    rateLimit: env.PI_RATE_LIMIT || undefined,
    drainMs: env.PI_DRAIN_MS || undefined,
    logLevel: env.PI_LOG_LEVEL || undefined,
    sandboxFrom: env.PI_SANDBOX || undefined,
  })
  if (error) {
    const lines = error.issues.map(({ path: [name = ''], message }) => {
      return `${names[String(name)]}: ${message}`
    })
    throw new SettingError([...new Set(lines)].join('\n'))
  }
  const store = readStore(flags, env)
  return {
    ...data,
    store,
    challengePort: data.port === 0 ? 0 : data.port + 1,
    host: env.PI_HOST || '127.0.0.1',
    /** Name of the setting that selects the ports, for errors. */
    portName: String(names.port),
    /** Whether a start with PostgreSQL creates the demo merchant. Other stores always have it. */
    demo: flags.demo ?? false,
    /** If it is missing, a data directory has one. */
    secretKey: env.PI_SECRET_KEY || undefined,
    drainMs: data.drainMs ?? (store.kind === 'postgres' ? 5000 : 0),
  }
}

function integer({
  min,
  max,
  note,
}: {
  readonly min: number
  readonly max: number
  readonly note: string
}) {
  const rule = `must be an integer from ${min} to ${max}${note}.`
  return z
    .string(rule)
    .regex(/^\d+$/, rule)
    .transform(Number)
    .pipe(z.int(rule).min(min, rule).max(max, rule))
}

function choice<const Value extends string>(values: readonly Value[], usual: Value) {
  return z.enum(values, `must be one of ${values.join(', ')} (default ${usual}).`).default(usual)
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
