/** Creates the two listeners and binds their handlers to the table of routes. @module */
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { apiDocsRoutes } from './api-docs/routes.ts'
import { type CheckoutRoutesOptions, checkoutRoutes, samePageCheck } from './checkout/routes.ts'
import type { SandboxAccess } from './config.ts'
import type { Observer } from './http/call.ts'
import { healthRoutes } from './http/health.ts'
import { hostCheck } from './http/host-check.ts'
import { createMetrics } from './http/metrics.ts'
import type { RateLimits } from './http/rate-limit.ts'
import type { Handler } from './http/response.ts'
import { createListener } from './http/router.ts'
import { staticFile, staticFolder } from './http/static-files.ts'
import { repeatedApiVersion } from './intents/parse-request.ts'
import { type IntentRoutesOptions, intentRoutes } from './intents/routes.ts'
import { adminCheck, checkLocal, checkNull } from './sandbox/access.ts'
import { faultWrapper } from './sandbox/faults/wrap.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import { createSandbox, type Sandbox, type SandboxRoutesOptions } from './sandbox/sandbox.ts'
import { openChallenge } from './test-bank/challenges.ts'
import { testBankRoutes } from './test-bank/routes.ts'

export interface AppOptions
  extends IntentRoutesOptions,
    Omit<CheckoutRoutesOptions, 'openChallenge'>,
    Omit<SandboxRoutesOptions, keyof Sandbox> {
  readonly limits: RateLimits
  readonly adminToken: string
  readonly accessLog?: readonly Observer[]
  readonly running?: { count: number } | undefined
  /** Aborted when the drain begins. `stopping` is aborted when it ends. */
  readonly draining?: AbortSignal | undefined
  readonly unready?: () => string | undefined
  readonly sandboxFrom: SandboxAccess
  readonly metrics: boolean
}

/** Creates the main listener, which serves the API, the hosted page, the sandbox, and the documentation. */
export function mainListener(options: AppOptions): RequestListener {
  const { db, publicUrl, hostedFolder } = options
  const sandbox = createSandbox(options)
  const metrics = options.metrics ? createMetrics() : undefined
  const withFaults = faultWrapper(sandbox.faults, options.stopping)
  const { create, retrieve } = intentRoutes(options)
  const host = hostCheck(publicUrl)
  const inspector = options.sandboxFrom === 'loopback' ? [host, checkLocal] : [host]
  return createListener({
    ...options,
    observers: [...(metrics ? [metrics.observer] : []), sandbox.requestLog.observer],
    handlers: {
      create: withFaults('create', create),
      retrieve: withFaults('retrieve', retrieve),
      ...healthRoutes(options),
      ...(metrics && { metrics: metrics.handle }),
      ...checkoutRoutes({
        ...options,
        openChallenge: async (snapshot, ticket) => await openChallenge(db, snapshot, ticket),
      }),
      assets: builtAssets(hostedFolder),
      ...apiDocsRoutes(options),
      ...sandboxRoutes({ ...options, ...sandbox }),
      element: staticFile(hostedFolder, 'pi-checkout.js', {
        headers: () => elementHeaders,
        missing: 'The element is not built. Run npm run build.',
      }),
      pinnedElement: staticFile(hostedFolder, ({ file }) => `pi-checkout-${file}`, {
        headers: pinnedElementHeaders,
      }),
    },
    checks: {
      // Supervisors and load balancers use network addresses as host.
      operator: [],
      merchant: [],
      buyer: [host],
      public: [host],
      checkout: [host, samePageCheck(publicUrl)],
      inspector,
      sandbox: [...inspector, adminCheck(options.adminToken), checkNull],
    },
    problemHeaders: { merchant: ({ request }) => repeatedApiVersion(request) },
  })
}

export function testBankListener(options: AppOptions): RequestListener {
  const host = hostCheck(options.challengeUrl)
  const { favicon } = healthRoutes(options)
  return createListener({
    ...options,
    observers: [],
    handlers: { ...testBankRoutes(options), assets: builtAssets(options.hostedFolder), favicon },
    checks: { buyer: [host], public: [host], 'test-bank': [host] },
  })
}

/** Returns the handler of scripts and styles. Their names contain a hash of the content. */
function builtAssets(hostedFolder: string): Handler {
  return staticFolder(join(hostedFolder, 'checkout-assets'), { headers: () => assetHeaders })
}

const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
}

export const elementHeaders = {
  'cache-control': 'no-cache',
  // Browsers load module scripts with CORS, and the shop has another origin.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

/** Returns the headers for the file of one version, which never changes unless the version is a placeholder. */
export function pinnedElementHeaders(name: string): Readonly<Record<string, string>> {
  if (name === 'pi-checkout-0.0.0.js') return elementHeaders
  return { ...elementHeaders, 'cache-control': assetHeaders['cache-control'] }
}
