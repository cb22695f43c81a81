/**
 * Everything that the hosted page needs of the main listener: the page, its assets, its private API.
 *
 * @module
 */
import { join } from 'node:path'
import { paymentIntentIdPattern } from '@pi-checkout/contract'
import type { failCodes } from '@pi-checkout/contract/frame-protocol'
import express, { type Response, Router } from 'express'
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { only, onlyGet } from '../http/method-not-allowed.ts'
import { type CheckoutParts, checkoutApi } from './api.ts'
import { checkoutHeaders, refusalHeaders } from './page-headers.ts'
import { assetsPath, checkoutPage, refusalPage } from './pages.ts'

/** Returns the router of `/checkout/:id`, `/checkout-assets` and `/checkout-api`. */
export function checkoutRouter(context: Context, parts: CheckoutParts): Router {
  const { db, hostedFolder, publicUrl, challengeUrl } = context
  const router = Router({ caseSensitive: true, strict: true })

  const showError = (
    response: Response,
    reason: { readonly code: (typeof failCodes)[number]; readonly mode?: 'test' | 'live' },
  ): void => {
    response.set(refusalHeaders()).type('html').send(refusalPage(hostedFolder, reason))
  }

  router.get('/checkout/:id', async (request, response) => {
    const environment = await environmentOf(db, request.params.id)
    // The same for every page: what it gets must not tell which origins are registered anywhere.
    if (!environment) return showError(response, { code: 'unauthorized' })
    const { registered, mode } = environment
    const embedder = embeddingOrigin(request.headers.referer, publicUrl)
    if (embedder !== undefined && !registered.includes(embedder)) {
      return showError(response, { code: 'origin_not_allowed', mode })
    }
    response
      .set(
        checkoutHeaders({
          ...{ frameAncestors: registered, publicOrigin: publicUrl },
          challengeOrigin: challengeUrl,
        }),
      )
      .type('html')
      .send(checkoutPage(hostedFolder, { ...environment, now: context.now() }))
  })

  router.all('/checkout/:id', only('GET, HEAD'))

  router.use('/checkout-api', checkoutApi(context, parts))
  router.use(assetsPath, builtAssets(hostedFolder), onlyGet)
  return router
}

/** Serves the scripts and styles of the built pages, never a page; names change with their content. */
export function builtAssets(folder: string): express.RequestHandler {
  return express.static(join(folder, assetsPath), {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    extensions: false,
    immutable: true,
    maxAge: '1y',
    setHeaders: (response) => {
      response.setHeader('x-content-type-options', 'nosniff')
      response.setHeader('cross-origin-resource-policy', 'same-origin')
    },
  })
}

/** @returns `undefined` for an id that is unknown or cannot be one. */
async function environmentOf(
  db: Queryable,
  id: string,
): Promise<{ registered: readonly string[]; mode: 'test' | 'live' } | undefined> {
  if (!paymentIntentIdPattern.test(id)) return undefined
  const [found] = await db.query<{ registered: readonly string[]; mode: 'test' | 'live' }>`
    select e.allowed_origins as "registered", e.mode
      from payment_intents i join environments e on e.id = i.environment_id
     where i.id = ${id}`
  return found
}

/** The origin of the page around the checkout; `undefined` if it is missing or the service's own. */
function embeddingOrigin(referer: string | undefined, publicUrl: string): string | undefined {
  if (!referer || !URL.canParse(referer)) return undefined
  const { origin } = new URL(referer)
  return origin === publicUrl ? undefined : origin
}
