/** Routes of the start page, the API description, and the API documentation. @module */
import { codeBlock } from '../../shared/code-block.ts'
import { type RouteName, routes } from '../../shared/routes.ts'
import { readPage } from '../checkout/pages.ts'
import type { SandboxAccess } from '../config.ts'
import type { Call } from '../http/call.ts'
import { escapeHtml } from '../http/html.ts'
import { toolPageHeaders } from '../http/page-headers.ts'
import { type Handler, jsonHeaders, page, type RouteResponse } from '../http/response.ts'
import { isLocal } from '../sandbox/access.ts'
import { openapi } from './openapi.ts'

export function apiDocsRoutes({
  publicUrl,
  hostedFolder,
  sandboxFrom,
}: {
  readonly publicUrl: string
  readonly hostedFolder: string
  readonly sandboxFrom: SandboxAccess
}) {
  const description = JSON.stringify(openapi(publicUrl), null, 2)
  return {
    openapi: () => ({ status: 200, base: jsonHeaders, body: description }),
    home: (call) => {
      const hasInspector = sandboxFrom === 'network' || isLocal(call)
      return toolPage(hostedFolder, startContent(publicUrl, hasInspector))
    },
    // Built from `guides/api.md`.
    docs: () => page(toolPageHeaders, readPage(hostedFolder, 'docs')),
  } satisfies Partial<Record<RouteName, Handler>>
}

/**
 * Returns the page of a problem for a browser that opens an address. Everything else gets the problem as JSON.
 *
 * @param home - URL of the start page.
 */
export function problemPage(
  { audience, request }: Call,
  {
    title,
    detail,
    hostedFolder,
    home,
  }: {
    readonly title: string
    readonly detail: string
    readonly hostedFolder: string
    readonly home: string
  },
): RouteResponse | undefined {
  const isForBrowsers = audience === 'public' || audience === 'inspector'
  if (!isForBrowsers || !request.headers.accept?.includes('text/html')) return undefined
  const [heading, text, link] = [title, detail, home].map(escapeHtml)
  const content = `<h1>${heading}</h1><p>${text}</p><p><a href="${link}">Start page</a> · <a href="/docs">Documentation</a></p>`
  return toolPage(hostedFolder, content)
}

function toolPage(hostedFolder: string, content: string): RouteResponse {
  const html = readPage(hostedFolder, 'tool').replace('<!--content-->', () => content)
  return page(toolPageHeaders, html)
}

/** @param hasInspector - Whether this client may open the inspector. */
function startContent(publicUrl: string, hasInspector: boolean): string {
  const url = escapeHtml(publicUrl)
  const { inspector, docs, openapi } = routes
  const links = [
    ...(hasInspector ? [[inspector.path, 'Inspector', 'Requests, intents, and faults, live']] : []),
    [docs.path, 'Documentation', 'Create, retrieve, retries, and statuses'],
    [`${docs.path}#errors`, 'Errors', 'Each code, and what to do'],
    [`${docs.path}#test-cards`, 'Test cards', 'Cards that pay, decline, or ask for a code'],
    [`${docs.path}#sandbox`, 'Sandbox API', 'Outcomes, faults, and the clock for tests'],
    [openapi.path, 'OpenAPI', 'All schemas as JSON, for tools'],
  ]
  const cards = links.map(
    ([path, name, text]) =>
      `<li><a class="box" href="${path}"><b>${name}</b><br><span class="hint">${text}</span></a></li>`,
  )
  const key = hasInspector
    ? `The <a href="${inspector.path}#/settings">inspector</a> creates one. It opens with the link that the service
      printed when it started.`
    : 'The operator of this service creates one.'
  const create = `curl ${publicUrl}/payment-intents \\
  -H "Authorization: Bearer $PI_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: A-1001-1' \\
  -d '{ "amount": 150000, "currency": "AMD", "orderId": "A-1001" }'`
  return `<header class="stack">
      <h1>The service is running</h1>
      <p>A key names its environment: <code>pi_sk_test_…</code> in test mode, <code>pi_sk_live_…</code> in live mode. Both
        accept test cards only, and no money moves.</p>
    </header>
    <section class="stack"><h2>Base URL</h2>${codeBlock(url)}</section>
    <ul class="columns">${cards.join('')}</ul>
    <section class="stack"><h2>1. Set <code>PI_API_KEY</code> to a test key</h2><p>${key}</p></section>
    <section class="stack"><h2>2. Create a test intent</h2>${codeBlock(escapeHtml(create))}</section>
    <section class="stack"><h2>3. Pay it</h2>
      <p>${hasInspector ? 'The inspector opens a test checkout for it. ' : ''}In your shop, the element
        <code>&lt;pi-checkout&gt;</code> shows the form. A <a href="${docs.path}#test-cards">test card</a> pays.</p></section>`
}
