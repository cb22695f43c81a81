/**
 * The shop's settings, read once from the environment. The helper reads its own variables itself.
 *
 * @module
 */
import { fileURLToPath } from 'node:url'
import { cspFor } from '@pi-checkout/server'

export interface Config {
  /** 0 takes a free port. */
  readonly port: number
  /** Undefined means `http://localhost:PORT`. */
  readonly shopOrigin: string | undefined
  readonly checkoutOrigin: string
  /** Folder of the orders. */
  readonly data: string
  readonly development: boolean
  readonly sandbox: Sandbox | undefined
}

/** The local sandbox's control, when it is there: only the handoff inspector uses it. */
export interface Sandbox {
  readonly baseUrl: string
  readonly adminToken: string
  /** Last characters of this shop's API key, by which the sandbox shows keys. */
  readonly keyHint: string
  readonly inspectorUrl: string | undefined
}

/** A setting that is missing or wrong; the message names it and says how to mend it. */
class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** @throws {ConfigError} A variable is missing or breaks its rule. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { PORT = '3000', SHOP_ORIGIN, PI_CHECKOUT_ORIGIN, PI_SHOP_DATA } = env
  const { PI_BASE_URL, PI_API_KEY, PI_ADMIN_TOKEN, PI_INSPECTOR_URL } = env
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) {
    throw new ConfigError('PORT: must be a number from 0 to 65535; 0 takes a free port.')
  }
  if (!PI_CHECKOUT_ORIGIN) {
    throw new ConfigError(
      'PI_CHECKOUT_ORIGIN: is missing. It is the origin of the hosted checkout: the line that ' +
        '`pi-service start --json` prints has it as checkoutOrigin; locally it is http://127.0.0.1:4000.',
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

/** Only looked at: the helper reads them itself, but no sooner than the first handoff. */
function readHandoffKeys(keys: string | undefined): void {
  const rule =
    'one or more id:key pairs such as k1:…, joined by commas; a key is 32 random bytes in base64url'
  const make = `node -p "'k1:' + crypto.randomBytes(32).toString('base64url')"`
  if (!keys)
    throw new ConfigError(`PI_HANDOFF_KEYS: is missing. It holds ${rule}. Make one: ${make}`)
  if (!/^[a-z0-9]{1,8}:[\w-]{43}(?:,[a-z0-9]{1,8}:[\w-]{43})*$/.test(keys)) {
    throw new ConfigError(`PI_HANDOFF_KEYS: must hold ${rule}. Make one: ${make}`)
  }
}

/** By the helper's own rule: the policy of the pages takes nothing that is no origin. */
function readOrigin(name: string, value: string): string {
  try {
    cspFor({ checkoutOrigin: value })
  } catch (cause) {
    throw new ConfigError(
      `${name}: must be an origin such as https://shop.example: no path, user or query, in lower case, without the scheme's usual port; https, or http on this machine.`,
      { cause },
    )
  }
  return new URL(value).origin
}
