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

/** Settings under the names that errors and the README have. */
const Settings = z.object({
  /** Port of the API and the hosted page. 0 selects a free port. The test bank uses the next port. */
  '--port': integer({ min: 0, max: 65_534 }, ' (0 selects a free port)').default(4000),
  /** Origins to register for the first merchant's test environment. */
  '--shop-origin': z
    .array(Origin, 'must be an array of origins, such as ["http://localhost:5173"].')
    .default([]),
  PI_HOST: z.string().default('127.0.0.1'),
  PI_DATA_DIR: z.string().default('.data/service'),
  PI_DATABASE_URL: z.string().optional(),
  /** If it is missing, a data directory has one. */
  PI_SECRET_KEY: z.string().optional(),
  /** Public origins, if they differ from those of the listeners. */
  PI_PUBLIC_URL: Origin.optional(),
  PI_CHALLENGE_URL: Origin.optional(),
  /** Requests per second for each environment. If `undefined`, test environments have no limit. */
  PI_RATE_LIMIT: integer({ min: 1, max: 999_999 }, ', in requests per second').optional(),
  /** Milliseconds between a signal to stop and the end of the listeners. */
  PI_DRAIN_MS: integer({ min: 0, max: 60_000 }, ', in milliseconds').optional(),
  PI_LOG_LEVEL: choice(['silent', 'error', 'warn', 'info'], 'warn'),
  PI_SANDBOX: choice(['loopback', 'network'], 'loopback'),
})

/**
 * @param names - Those of settings that a caller names differently, for errors.
 * @throws {SettingError} If settings are invalid. It has a line for each, which names it and the rule, but no value.
 */
export function readConfig(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  names: Partial<Record<keyof z.input<typeof Settings>, string>> = {},
) {
  const given = { ...env, '--port': flags.port, '--shop-origin': flags.shopOrigin }
  const set = Object.entries(given).filter(([, value]) => value)
  const { data, error } = Settings.safeParse(Object.fromEntries(set))
  if (error) {
    const lines = error.issues.map(({ path: [name], message }) => {
      return `${Reflect.get(names, String(name)) ?? String(name)}: ${message}`
    })
    throw new SettingError([...new Set(lines)].join('\n'))
  }
  const store = readStore(flags, data)
  const port = data['--port']
  return {
    store,
    port,
    bankPort: port === 0 ? 0 : port + 1,
    /** Name of the setting that selects the ports, for errors. */
    portName: names['--port'] ?? '--port',
    host: data.PI_HOST,
    origins: data['--shop-origin'],
    publicUrl: data.PI_PUBLIC_URL,
    challengeUrl: data.PI_CHALLENGE_URL,
    secretKey: data.PI_SECRET_KEY,
    rateLimit: data.PI_RATE_LIMIT,
    drainMs: data.PI_DRAIN_MS ?? (store.kind === 'postgres' ? 5000 : 0),
    logLevel: data.PI_LOG_LEVEL,
    /** Clients that may use the sandbox: those on this host, or all that reach the service. */
    sandboxFrom: data.PI_SANDBOX,
    /** Whether a start with PostgreSQL creates the demo merchant. Other stores always have it. */
    demo: flags.demo ?? false,
  }
}

function integer({ min, max }: { readonly min: number; readonly max: number }, note: string) {
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

function readStore(
  { memory, data, databaseUrl }: Flags,
  env: Pick<z.output<typeof Settings>, 'PI_DATA_DIR' | 'PI_DATABASE_URL'>,
): StoreChoice {
  const chosen = [memory && '--memory', data && '--data', databaseUrl && '--database-url'].filter(
    Boolean,
  )
  if (chosen.length > 1) {
    throw new SettingError(`${chosen.join(' and ')}: cannot be combined. Use one of them.`)
  }
  if (memory) return { kind: 'memory' }
  const url = databaseUrl || (data ? undefined : env.PI_DATABASE_URL)
  if (!url) return { kind: 'directory', directory: resolve(data || env.PI_DATA_DIR) }
  if (/^postgres(ql)?:\/\//.test(url)) return { kind: 'postgres', url }
  const name = databaseUrl ? '--database-url' : 'PI_DATABASE_URL'
  throw new SettingError(
    `${name}: must begin with postgres://, such as postgres://user@host:5432/name.`,
  )
}
