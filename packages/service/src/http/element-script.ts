/**
 * The element's self-contained build, for the page of any shop: read once, and sent again only to a
 * browser that has another one.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Router } from 'express'
import { only } from './method-not-allowed.ts'
import { ProblemError } from './problem.ts'

/** Returns the route of `/pi-checkout.js`. */
export function elementScript(folder: string): Router {
  const router = Router({ caseSensitive: true, strict: true })
  let kept: Script | undefined
  router.get('/pi-checkout.js', async (_request, response) => {
    kept ??= await readScript(join(folder, 'pi-checkout.js'))
    // Express compares the tag with If-None-Match, and answers 304 without the body.
    response.set(headers).set('etag', kept.tag).send(kept.bytes)
  })
  router.all('/pi-checkout.js', only('GET, HEAD'))
  return router
}

interface Script {
  readonly bytes: Buffer
  readonly tag: string
}

/** Not `sendFile`: it takes a folder above, such as `.pnpm`, for a secret one, and makes no tag. */
async function readScript(path: string): Promise<Script> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch {
    throw new ProblemError('not_found', 'The element is not built; run npm run build first.')
  }
  return { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'no-cache',
  // A module script is always a CORS request, and the shop is another origin.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}
