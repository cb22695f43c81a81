/** The shop's settings, read once from the environment. The server helper reads its own variables. @module */
import { fileURLToPath } from 'node:url'

export interface Config {
  /** `PORT`: 3000 by default; 0 selects a free port. */
  readonly port: number
  /** `SHOP_ORIGIN`: `http://localhost:PORT` by default. */
  readonly shopOrigin: string | undefined
  /** `PI_CHECKOUT_ORIGIN` */
  readonly checkoutOrigin: string
  /** `PI_SHOP_DATA`: folder of the database. */
  readonly data: string
  /** `PI_RECONCILE_MS`: milliseconds between two runs that settle the payments of buyers who did not return. */
  readonly interval: number
  /** `PI_SHOP_STAFF_PASSWORD`: by default a new one for each start, which the shop prints. */
  readonly staffPassword: string | undefined
  /** Of a checkout on loopback, unless `NODE_ENV` is `production`. */
  readonly inspectorUrl: string | undefined
}

/** @throws {Error} If a variable is missing or invalid. The message contains its name, its rule, and the fix. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const { PORT = '3000', PI_CHECKOUT_ORIGIN, PI_RECONCILE_MS = '60000', NODE_ENV } = env
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) {
    throw new Error('PORT: must be a number from 0 to 65535. 0 selects a free port.')
  }
  if (!PI_CHECKOUT_ORIGIN) {
    const fix =
      'Set it to checkoutOrigin of `pi-service start --json`, such as http://127.0.0.1:4000.'
    throw new Error(`PI_CHECKOUT_ORIGIN: environment variable is not set. ${fix}`)
  }
  // Only an origin on loopback may be http.
  const isLocal = NODE_ENV !== 'production' && PI_CHECKOUT_ORIGIN.startsWith('http:')
  return {
    port: Number(PORT),
    shopOrigin: env.SHOP_ORIGIN || undefined,
    checkoutOrigin: PI_CHECKOUT_ORIGIN,
    data: env.PI_SHOP_DATA || fileURLToPath(new URL('../.data/shop', demoFolder)),
    interval: Number(PI_RECONCILE_MS),
    staffPassword: env.PI_SHOP_STAFF_PASSWORD || undefined,
    inspectorUrl: isLocal ? `${PI_CHECKOUT_ORIGIN}/_sandbox/` : undefined,
  }
}

const isSource = import.meta.url.endsWith('.ts')

/** This package's folder, seen from the sources and from the build. */
export const demoFolder: URL = new URL(isSource ? '../' : '../../', import.meta.url)
