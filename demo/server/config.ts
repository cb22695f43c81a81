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
  /** Milliseconds between two runs that settle the payments of buyers who did not return. */
  readonly reconcileMs: number
  /** Address of a local service's inspector. Undefined in production. */
  readonly inspectorUrl: string | undefined
}

/** A setting is missing or invalid. The message contains its name, its rule, and the fix. */
class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** @throws {ConfigError} If a variable is missing or invalid. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { PORT = '3000', SHOP_ORIGIN, PI_CHECKOUT_ORIGIN, PI_SHOP_DATA, NODE_ENV } = env
  const { PI_RECONCILE_MS = '60000' } = env
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) {
    throw new ConfigError('PORT: must be a number from 0 to 65535. 0 selects a free port.')
  }
  if (!/^[1-9]\d{2,8}$/.test(PI_RECONCILE_MS)) {
    throw new ConfigError('PI_RECONCILE_MS: must be a number of milliseconds from 100.')
  }
  if (!PI_CHECKOUT_ORIGIN) {
    throw new ConfigError(
      'PI_CHECKOUT_ORIGIN: environment variable is not set. Set it to checkoutOrigin of ' +
        '`pi-service start --json`. For the local sandbox it is http://127.0.0.1:4000.',
    )
  }
  const checkoutOrigin = readOrigin('PI_CHECKOUT_ORIGIN', PI_CHECKOUT_ORIGIN)
  // Only an origin on loopback may be http.
  const isLocal = NODE_ENV !== 'production' && checkoutOrigin.startsWith('http:')
  return {
    port: Number(PORT),
    shopOrigin: SHOP_ORIGIN && readOrigin('SHOP_ORIGIN', SHOP_ORIGIN),
    checkoutOrigin,
    data: PI_SHOP_DATA || usualData,
    reconcileMs: Number(PI_RECONCILE_MS),
    inspectorUrl: isLocal ? `${checkoutOrigin}/_sandbox/` : undefined,
  }
}

// `.data/shop` at the root of the repository, seen from the sources and from the build.
const usualData = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../.data/shop' : '../../../.data/shop',
    import.meta.url,
  ),
)

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
