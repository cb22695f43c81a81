/** Creates the two listeners and binds their handlers to the table of routes. @module */
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { apiDocsRoutes, problemPage } from './api-docs/routes.ts'
import { type CheckoutRoutesOptions, checkoutRoutes, samePageCheck } from './checkout/routes.ts'
import type { SandboxAccess } from './config.ts'
import type { Observer } from './http/call.ts'
import { healthRoutes } from './http/health.ts'
import { hostCheck } from './http/host-check.ts'
import { createMetrics } from './http/metrics.ts'
import type { ProblemPage } from './http/problem.ts'
import type { RateLimits } from './http/rate-limit.ts'
import type { Handler } from './http/response.ts'
import { createListener } from './http/router.ts'
import { staticFile } from './http/static-files.ts'
import { type IntentRoutesOptions, intentRoutes } from './intents/routes.ts'
import { adminCheck, checkLocal, checkNull } from './sandbox/access.ts'
import { faultWrapper } from './sandbox/faults/apply-faults.ts'
import { sandboxRoutes } from './sandbox/routes.ts'
import type { SandboxRoutesOptions } from './sandbox/sandbox.ts'
import { testBankRoutes } from './test-bank/routes.ts'

export interface AppOptions
  extends IntentRoutesOptions,
    CheckoutRoutesOptions,
    SandboxRoutesOptions {
  readonly limits: RateLimits
  readonly adminToken: string
  readonly accessLog?: readonly Observer[]
  readonly running?: { count: number } | undefined
  /** Aborted when the drain begins. */
  readonly draining?: AbortSignal | undefined
  /** Aborted when the drain ends. */
  readonly stopping: AbortSignal
  readonly unready?: () => string | undefined
  readonly sandboxFrom: SandboxAccess
  readonly metrics: boolean
}

/** Creates the main listener, which serves the API, the hosted page, the sandbox, and the documentation. */
export function mainListener(options: AppOptions): RequestListener {
  const { publicUrl, hostedFolder, faults, requestLog } = options
  const metrics = options.metrics ? createMetrics() : undefined
  const withFaults = faultWrapper(faults, options.stopping)
  const { create, retrieve } = intentRoutes(options)
  const host = hostCheck(publicUrl)
  const inspector = options.sandboxFrom === 'loopback' ? [host, checkLocal] : [host]
  return createListener({
    ...options,
    problemPage: problemPageOf(options),
    observers: [...(metrics ? [metrics.observer] : []), requestLog.observer],
    handlers: {
      create: withFaults('create', create),
      retrieve: withFaults('retrieve', retrieve),
      ...healthRoutes(options),
      ...(metrics && { metrics: metrics.handle }),
      ...checkoutRoutes(options),
      assets: builtAssets(hostedFolder),
      ...apiDocsRoutes(options),
      ...sandboxRoutes(options),
      element: staticFile(hostedFolder, () => 'pi-checkout.js', {
        headers: elementHeaders,
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
  })
}

export function testBankListener(options: AppOptions): RequestListener {
  const host = hostCheck(options.challengeUrl)
  const { favicon } = healthRoutes(options)
  return createListener({
    ...options,
    problemPage: problemPageOf(options),
    observers: [],
    handlers: {
      ...testBankRoutes(options),
      assets: builtAssets(options.hostedFolder),
      favicon,
    },
    checks: { buyer: [host], public: [host], 'test-bank': [host] },
  })
}

function problemPageOf({ hostedFolder, publicUrl: home }: AppOptions): ProblemPage {
  return (call, problem) => problemPage(call, { ...problem, hostedFolder, home })
}

/** Returns the handler of scripts and styles. Their names contain a hash of the content. */
function builtAssets(hostedFolder: string): Handler {
  const folder = join(hostedFolder, 'checkout-assets')
  return staticFile(folder, ({ rest = '' }) => rest, { headers: assetHeaders })
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

/** Headers of the file of one version, which never changes. */
export const pinnedElementHeaders = {
  ...elementHeaders,
  'cache-control': assetHeaders['cache-control'],
}
