/**
 * Everything that the hosted page needs of the main listener: the page, its assets, its private API.
 *
 * @module
 */
import { join } from 'node:path'
import { paymentIntentIdPattern } from '@pi-checkout/contract'
import type { failCodes } from '@pi-checkout/contract/frame-protocol'
import express, { Router } from 'express'
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { type CheckoutParts, checkoutApi } from './api.ts'
import { checkoutHeaders, refusalHeaders } from './page-headers.ts'
import { assetsPath, checkoutPage, refusalPage } from './pages.ts'

/** Returns the router of `/checkout/:id`, `/checkout-assets` and `/checkout-api`. */
export function checkoutRouter(context: Context, parts: CheckoutParts): Router {
  const { db, hostedFolder, publicUrl, challengeUrl } = context
  const router = Router({ caseSensitive: true, strict: true })

  router.get('/checkout/:id', async (request, response) => {
    const registered = await registeredOrigins(db, request.params.id)
    const asker = askingOrigin(request.headers.referer, publicUrl)
    const refusal = asker && (await refusalOf(db, { asker, registered }))
    if (refusal) {
      response.set(refusalHeaders()).type('html').send(refusalPage(hostedFolder, refusal))
      return
    }
    const frameAncestors = registered ?? []
    response
      .set(
        checkoutHeaders({ frameAncestors, publicOrigin: publicUrl, challengeOrigin: challengeUrl }),
      )
      .type('html')
      .send(checkoutPage(hostedFolder, frameAncestors))
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

/** The origin that asks for the page; our own and a missing one ask for nobody. */
function askingOrigin(referer: string | undefined, publicUrl: string): string | undefined {
  if (!referer || !URL.canParse(referer)) return undefined
  const { origin } = new URL(referer)
  return origin === publicUrl ? undefined : origin
}

/** Why a page must not show this checkout, if it must not. */
async function refusalOf(
  db: Queryable,
  {
    asker,
    registered,
  }: { readonly asker: string; readonly registered: readonly string[] | undefined },
): Promise<(typeof failCodes)[number] | undefined> {
  if (registered?.includes(asker)) return undefined
  const known = await db.query`
    select from environments where ${asker} = any (allowed_origins) limit 1`
  return known.length > 0 ? 'unauthorized' : 'origin_not_allowed'
}
