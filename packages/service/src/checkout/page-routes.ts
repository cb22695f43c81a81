/** The hosted page for the frame of a shop, and the files that it and the shop load. @module */
import { join } from 'node:path'
import { routes } from '../../shared/routes.ts'
import type { App } from '../http/app.ts'
import { intentIdPattern } from '../ids.ts'
import { findEnvironment } from '../merchants/environments.ts'
import type { AppOptions } from '../options.ts'
import { hostedFolder } from '../package-root.ts'
import { addFullPageRoutes, IdSchema } from './full-page.ts'
import { sendCheckoutPage, sendErrorPage } from './pages.ts'

export function addPageRoutes(app: App, options: AppOptions): void {
  const { db, publicUrl, intents, requestLog } = options

  app.get(routes.page.path, { schema: { params: IdSchema } }, async (request, reply) => {
    const { facts, headers, method, params } = request
    if (method === 'GET') requestLog.watch(request, reply)
    // The request log warns of a `clientSecret` in an address.
    const [id = ''] = params.id.split(/_secret_/i, 1)
    const intent = intentIdPattern.test(id) ? await intents.find(id) : undefined
    const environment = intent && (await findEnvironment(db, intent.environmentId))
    facts.environment = environment
    facts.intent = intent
    // Older browsers do not say it, and show after some seconds that no page around it answers.
    if (headers['sec-fetch-dest'] === 'document') return sendErrorPage(reply, {})
    // The response does not depend on the embedding page, so it does not reveal registered origins.
    if (!environment || id !== params.id) return sendErrorPage(reply, { code: 'unauthorized' })
    const embedder = embeddingOrigin(headers.referer, publicUrl)
    if (embedder !== undefined && !environment.allowedOrigins.includes(embedder)) {
      facts.unregisteredOrigin = embedder
      return sendErrorPage(reply, { code: 'origin_not_allowed', mode: environment.mode })
    }
    return sendCheckoutPage(reply, options, { environment })
  })

  addFullPageRoutes(app, options)
}

/** Returns the origin of the embedding page, or `undefined` if it is unknown or the service's origin. */
function embeddingOrigin(referer: string | undefined, publicUrl: string): string | undefined {
  if (!referer || !URL.canParse(referer)) return undefined
  const { origin } = new URL(referer)
  return origin === publicUrl ? undefined : origin
}

/** Adds scripts and styles. Their names contain a hash of the content. */
export function addAssets(app: App): void {
  const folder = join(hostedFolder, 'checkout-assets')
  app.get<{ Params: { '*': string } }>(routes.assets.path, ({ params }, reply) =>
    reply.headers(assetHeaders).sendFile(params['*'], folder),
  )
  app.get(routes.favicon.path, (_request, reply) => {
    // Browsers request it automatically. A 404 would show as an error in the browser console.
    reply.code(204).header('x-content-type-options', 'nosniff').send()
  })
}

/** Adds the element's file, for pages of other origins. */
export function addElement(app: App): void {
  app.get(routes.element.path, (_request, reply) =>
    reply.headers(elementHeaders).sendFile('pi-checkout.js'),
  )
  app.get<{ Params: { file: string } }>(routes.pinnedElement.path, ({ params }, reply) =>
    reply.headers(pinnedElementHeaders).sendFile(`pi-checkout-${params.file}`),
  )
}

const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

const elementHeaders = {
  // A reload does not wait for it.
  'cache-control': 'public, max-age=60, stale-while-revalidate=86400',
  // Browsers load module scripts with CORS, and the shop has another origin.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/** Headers of the file of one version, which never changes. */
const pinnedElementHeaders = { ...elementHeaders, 'cache-control': assetHeaders['cache-control'] }
