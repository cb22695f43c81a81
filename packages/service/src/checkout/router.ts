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
import { type CheckoutParts, checkoutApi } from './api.ts'
import { checkoutHeaders, refusalHeaders } from './page-headers.ts'
import { assetsPath, checkoutPage, refusalPage } from './pages.ts'

/** Returns the router of `/checkout/:id`, `/checkout-assets` and `/checkout-api`. */
export function checkoutRouter(context: Context, parts: CheckoutParts): Router {
  const { db, hostedFolder, publicUrl, challengeUrl } = context
  const router = Router({ caseSensitive: true, strict: true })

  const showError = (response: Response, code: (typeof failCodes)[number]): void => {
    response.set(refusalHeaders()).type('html').send(refusalPage(hostedFolder, code))
  }

  router.get('/checkout/:id', async (request, response) => {
    const registered = await registeredOrigins(db, request.params.id)
    // The same for every page: what it gets must not tell which origins are registered anywhere.
    if (!registered) return showError(response, 'unauthorized')
    const embedder = embeddingOrigin(request.headers.referer, publicUrl)
    if (embedder !== undefined && !registered.includes(embedder)) {
      return showError(response, 'origin_not_allowed')
    }
    response
      .set(
        checkoutHeaders({
          ...{ frameAncestors: registered, publicOrigin: publicUrl },
          challengeOrigin: challengeUrl,
        }),
      )
      .type('html')
      .send(checkoutPage(hostedFolder, registered))
  })

  router.use('/checkout-api', checkoutApi(context, parts))
  router.use(assetsPath, builtAssets(hostedFolder))
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
async function registeredOrigins(
  db: Queryable,
  id: string,
): Promise<readonly string[] | undefined> {
  if (!paymentIntentIdPattern.test(id)) return undefined
  const [found] = await db.query<{ allowedOrigins: readonly string[] }>`
    select e.allowed_origins as "allowedOrigins"
      from payment_intents i join environments e on e.id = i.environment_id
     where i.id = ${id}`
  return found?.allowedOrigins
}

/** The origin of the page around the checkout; `undefined` if it is missing or the service's own. */
function embeddingOrigin(referer: string | undefined, publicUrl: string): string | undefined {
  if (!referer || !URL.canParse(referer)) return undefined
  const { origin } = new URL(referer)
  return origin === publicUrl ? undefined : origin
}
