/**
 * The element's playground at `/_sandbox/playground/`: every state and error of `<pi-checkout>`, shown
 * by fake hosted pages. It is open without the admin token, because there is nothing in it.
 *
 * @module
 */
import { join } from 'node:path'
import express, { type RequestHandler } from 'express'
import type { Context } from '../context.ts'

/** Serves the built playground, which the root build copies out of the element's package. */
export function playground({ hostedFolder }: Context): RequestHandler {
  return express.static(join(hostedFolder, 'playground'), {
    etag: false,
    lastModified: false,
    cacheControl: false,
    setHeaders: (response, path) => {
      response.setHeader(
        'Content-Security-Policy',
        path.includes('fake-') ? fakePolicy : pagePolicy,
      )
      for (const [name, value] of Object.entries(common)) response.setHeader(name, value)
    },
  })
}

const shared = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
]

// The page is on localhost and its frames on 127.0.0.1: two sites on one port.
const pagePolicy = [...shared, 'frame-src http://127.0.0.1:*', "frame-ancestors 'none'"].join('; ')
const fakePolicy = [...shared, 'frame-ancestors http://localhost:*'].join('; ')

const common = {
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}
