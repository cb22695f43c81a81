/** The hosted page without a service: the same page, with planned responses to each test card. @module */
import { readFileSync } from 'node:fs'

/** The fake as a document, and as a server for it. */
export interface FakeHostedPage {
  /** For `page.route('**\/checkout/*', (route) => route.fulfill({ contentType: 'text/html', body: html }))`. */
  readonly html: string
  /** Returns the page for `/checkout/<id>`, and 404 for other paths. */
  readonly fetch: (request: Request) => Promise<Response>
}

/**
 * Returns the hosted page, which accepts any id and secret, and plays each outcome of `payWith` without a network.
 *
 * A payment keeps its state in the tab. Without storage, as in a frame of another site in Chromium with a window, a reload
 * and a redirect begin again. The bank's page of a redirect accepts the code that passes only.
 *
 * @returns The page as text, and as a `fetch` handler for any server.
 * @example
 * const { html } = fakeHostedPage()
 * await page.route('**\/checkout/*', (route) => route.fulfill({ contentType: 'text/html', body: html }))
 */
export function fakeHostedPage(): FakeHostedPage {
  // The build of the service's page, from sources and from the build of this file.
  const html = readFileSync(new URL('../../dist/fake/checkout.html', import.meta.url), 'utf8')
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  return {
    html,
    fetch: async (request) =>
      /^\/checkout\/[\w-]+$/.test(new URL(request.url).pathname)
        ? new Response(html, { headers })
        : new Response(null, { status: 404 }),
  }
}
