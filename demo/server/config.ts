/** The shop's settings, read once from the environment. The server helper reads its own variables. @module */
import { fileURLToPath } from 'node:url'

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
  /** Undefined: the shop chooses one for each start. */
  readonly staffPassword: string | undefined
  /** Address of a local service's inspector. Undefined in production. */
  readonly inspectorUrl: string | undefined
}

/** @throws {Error} If a variable is missing or invalid. The message contains its name, its rule, and the fix. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { PORT = '3000', SHOP_ORIGIN, PI_CHECKOUT_ORIGIN, PI_SHOP_DATA, NODE_ENV } = env
  const { PI_RECONCILE_MS = '60000', PI_SHOP_STAFF_PASSWORD } = env
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) {
    throw new Error('PORT: must be a number from 0 to 65535. 0 selects a free port.')
  }
  if (!PI_CHECKOUT_ORIGIN) {
    throw new Error(
      'PI_CHECKOUT_ORIGIN: environment variable is not set. Set it to checkoutOrigin of ' +
        '`pi-service start --json`. For the local sandbox it is http://127.0.0.1:4000.',
    )
  }
  // Only an origin on loopback may be http.
  const isLocal = NODE_ENV !== 'production' && PI_CHECKOUT_ORIGIN.startsWith('http:')
  return {
    port: Number(PORT),
    shopOrigin: SHOP_ORIGIN || undefined,
    checkoutOrigin: PI_CHECKOUT_ORIGIN,
    data: PI_SHOP_DATA || fileURLToPath(new URL('../.data/shop', demoFolder)),
    reconcileMs: Number(PI_RECONCILE_MS),
    staffPassword: PI_SHOP_STAFF_PASSWORD || undefined,
    inspectorUrl: isLocal ? `${PI_CHECKOUT_ORIGIN}/_sandbox/` : undefined,
  }
}

/** This package's folder, seen from the sources and from the build. */
export const demoFolder: URL = new URL(
  import.meta.url.endsWith('.ts') ? '../' : '../../',
  import.meta.url,
)
