/** Creates the two listeners: the routes of each audience, with its checks. @module */
import { fastifyStatic } from '@fastify/static'
import { routes } from '../shared/routes.ts'
import { addDocsRoutes, addInspector, problemPage } from './api-docs/routes.ts'
import { addAssets, addElement, addPageRoutes } from './checkout/page-routes.ts'
import { addCheckoutRoutes, samePageCheck } from './checkout/routes.ts'
import { type App, createApp, type HttpOptions } from './http/app.ts'
import { addAudience, type Check, hostCheck } from './http/audience.ts'
import { addHealthRoutes } from './http/health.ts'
import { addIntentRoutes } from './intents/routes.ts'
import type { AppOptions } from './options.ts'
import { hostedFolder } from './package-root.ts'
import { faultHooks } from './sandbox/faults.ts'
import { addSandboxRoutes, adminCheck, checkLocal, checkNull } from './sandbox/sandbox.ts'
import { addTestBankRoutes } from './test-bank/routes.ts'

/** Creates the main listener, which serves the API, the hosted page, the sandbox, and the documentation. */
export async function createMainApp(
  options: AppOptions,
  server?: HttpOptions['server'],
): Promise<App> {
  const { publicUrl, requestLog, adminToken } = options
  const app = createApp({
    ...options,
    server,
    onUnknownPath: requestLog.watchUnknown,
    problemPage,
  })
  await app.register(fastifyStatic, files)
  const host = hostCheck(publicUrl)
  const inspector = options.sandboxFrom === 'loopback' ? [host, checkLocal] : [host]

  // Supervisors and load balancers use network addresses as host.
  addAudience(app, { addRoutes: (scope) => addHealthRoutes(scope, options) })
  addAudience(app, {
    prefix: routes.create.path,
    checks: [requestLog.watch],
    addRoutes: (scope) => addIntentRoutes(scope, options, (on) => faultHooks(on, options)),
  })
  addAudience(app, {
    checks: [host],
    addRoutes: (scope) => {
      addPageRoutes(scope, options)
      addAssets(scope)
      addElement(scope)
    },
  })
  addAudience(app, {
    prefix: '/checkout-api',
    checks: [host, samePageCheck(publicUrl)],
    addRoutes: (scope) => addCheckoutRoutes(scope, options),
  })
  addAudience(app, {
    prefix: '/_sandbox',
    checks: [...inspector, adminCheck(adminToken), checkNull],
    addRoutes: (scope) => addSandboxRoutes(scope, options),
  })
  const forPeople: Check = ({ facts }) => {
    facts.isForPeople = true
  }
  addAudience(app, {
    checks: [forPeople, host],
    addRoutes: (scope) => addDocsRoutes(scope, options),
  })
  addAudience(app, {
    checks: [forPeople, ...inspector],
    addRoutes: addInspector,
  })
  await app.ready()
  return app
}

export async function createTestBankApp(
  options: AppOptions,
  server?: HttpOptions['server'],
): Promise<App> {
  const app = createApp({ ...options, server })
  await app.register(fastifyStatic, files)
  addAudience(app, {
    checks: [hostCheck(options.challengeUrl)],
    addRoutes: (scope) => {
      addTestBankRoutes(scope, options)
      addAssets(scope)
    },
  })
  await app.ready()
  return app
}

/** Built files, compressed if the build has compressed them. Routes add their headers. */
const files = {
  root: hostedFolder,
  serve: false,
  preCompressed: true,
  cacheControl: false,
  dotfiles: 'ignore',
} as const
