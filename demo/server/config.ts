/** The shop's settings, read once from the environment. The server helper reads its own variables. @module */
import { fileURLToPath } from 'node:url'
import { cspFor } from '@pi-checkout/server'

export interface Config {
  /** 0 selects a free port. */
  readonly port: number
  /** Undefined means `http://localhost:PORT`. */
  readonly shopOrigin: string | undefined
  readonly checkoutOrigin: string
  /** Folder of the database. */
  readonly data: string
  readonly development: boolean
  readonly sandbox: Sandbox | undefined
}

/** Access to the local sandbox's control API. Only the handoff inspector uses it. */
export interface Sandbox {
  readonly baseUrl: string
  readonly adminToken: string
  /** Last characters of this shop's API key, which the sandbox displays. */
  readonly keyHint: string
  readonly inspectorUrl: string | undefined
}

/** A setting is missing or invalid. The message contains its name, its rule, and the fix. */
class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** @throws {ConfigError} If a variable is missing or invalid. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { PORT = '3000', SHOP_ORIGIN, PI_CHECKOUT_ORIGIN, PI_SHOP_DATA } = env
  const { PI_BASE_URL, PI_API_KEY, PI_ADMIN_TOKEN, PI_INSPECTOR_URL } = env
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) {
    throw new ConfigError('PORT: must be a number from 0 to 65535. 0 selects a free port.')
  }
  if (!PI_CHECKOUT_ORIGIN) {
    throw new ConfigError(
      'PI_CHECKOUT_ORIGIN: environment variable is not set. Set it to checkoutOrigin of ' +
        '`pi-service start --json`. For the local sandbox it is http://127.0.0.1:4000.',
    )
  }
  readHandoffKeys(env.PI_HANDOFF_KEYS)
  const development = env.NODE_ENV !== 'production'
  return {
    port: Number(PORT),
    shopOrigin: SHOP_ORIGIN && readOrigin('SHOP_ORIGIN', SHOP_ORIGIN),
    checkoutOrigin: readOrigin('PI_CHECKOUT_ORIGIN', PI_CHECKOUT_ORIGIN),
    data: PI_SHOP_DATA || usualData,
    development,
    sandbox:
      development && PI_BASE_URL && PI_API_KEY && PI_ADMIN_TOKEN
        ? {
            baseUrl: PI_BASE_URL,
            adminToken: PI_ADMIN_TOKEN,
            keyHint: PI_API_KEY.slice(-4),
            inspectorUrl: PI_INSPECTOR_URL || undefined,
          }
        : undefined,
  }
}

// `.data/shop` at the root of the repository, seen from the sources and from the build.
const usualData = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../.data/shop' : '../../../.data/shop',
    import.meta.url,
  ),
)

/** Only checks them: the helper reads them at the first handoff. */
function readHandoffKeys(keys: string | undefined): void {
  const rule =
    'one or more keys such as k1:…, separated by commas, each 32 random bytes in base64url'
  const make = `node -p "'k1:' + crypto.randomBytes(32).toString('base64url')"`
  if (!keys)
    throw new ConfigError(
      `PI_HANDOFF_KEYS: environment variable is not set. Set it to ${rule}. Generate one: ${make}`,
    )
  if (!/^[a-z0-9]{1,8}:[\w-]{43}(?:,[a-z0-9]{1,8}:[\w-]{43})*$/.test(keys)) {
    throw new ConfigError(`PI_HANDOFF_KEYS: must be ${rule}. Generate one: ${make}`)
  }
}

/** Uses the helper's rule, because the pages' policy contains these origins. */
function readOrigin(name: string, value: string): string {
  try {
    cspFor({ checkoutOrigin: value })
  } catch (cause) {
    throw new ConfigError(
      `${name}: must be a lowercase https origin, or http on loopback, without a path or default port, such as https://shop.example.`,
      { cause },
    )
  }
  return new URL(value).origin
}
