/**
 * The main listener: the API with the hosted page. The challenge page has a listener of its own.
 *
 * @module
 */
import type { RequestListener } from 'node:http'
import type { Express } from 'express'
import { apiDocsRouter } from './api-docs/routes.ts'
import type { CheckoutParts } from './checkout/api.ts'
import { checkoutRouter } from './checkout/router.ts'
import type { Context } from './context.ts'
import { elementScript } from './http/element-script.ts'
import { bareApp, finished } from './http/express-app.ts'
import { healthRouter } from './http/health.ts'
import { hostCheck } from './http/host.ts'
import { type Metrics, makeMetrics } from './http/metrics.ts'
import type { OperationParts } from './intents/operations.ts'
import { intentRoutes, isIntentPath } from './intents/routes.ts'
import { type SandboxParts, sandboxRouter } from './sandbox/routes.ts'
import { makeSandbox, type Sandbox } from './sandbox/sandbox.ts'

/** What the main listener needs besides the context. */
export interface AppParts extends OperationParts, SandboxParts, Omit<CheckoutParts, 'limits'> {
  /** Whether `/metrics` was asked for. */
  readonly metrics: boolean
}

/** Returns what the main listener answers: the two operations first, Express for everything else. */
export function mainListener(context: Context, parts: AppParts): RequestListener {
  const sandbox = makeSandbox(context)
  const operations = intentRoutes(context, parts)
  const metrics = parts.metrics ? makeMetrics() : undefined
  const pages = pagesApp(context, parts, { sandbox, metrics })
  const listener = sandbox.journal.watch((request, response) => {
    if (isIntentPath(request.url ?? '')) operations(request, response)
    else pages(request, response)
  })
  return metrics ? metrics.watch(listener) : listener
}

function pagesApp(
  context: Context,
  parts: AppParts,
  { sandbox, metrics }: { readonly sandbox: Sandbox; readonly metrics: Metrics | undefined },
): Express {
  const app = bareApp(context.publicUrl)
  // Probes and Prometheus ask by an address of the network, and what they read is no secret.
  app.use(healthRouter(context, parts))
  if (metrics) app.use(metrics.router)
  app.use(hostCheck(context.publicUrl))
  app.use(checkoutRouter(context, parts))
  app.use(apiDocsRouter(context))
  app.use('/_sandbox', sandboxRouter(context, parts, sandbox))
  app.use(elementScript(context.hostedFolder))
  return finished(app, context)
}
