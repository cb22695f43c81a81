/** Pages for developers: start page, API description, documentation, and inspector. @module */
import type { FastifyReply } from 'fastify'
import { codeBlock } from '../../shared/code-block.ts'
import { routes } from '../../shared/routes.ts'
import { readPage } from '../checkout/pages.ts'
import type { SandboxAccess } from '../config.ts'
import type { App } from '../http/app.ts'
import { escapeHtml } from '../http/html.ts'
import { toolPageHeaders } from '../http/page-headers.ts'
import { type ProblemError, problemTitle } from '../http/problem.ts'
import { jsonHeaders, page } from '../http/send.ts'
import { isLocal } from '../sandbox/access.ts'
import { openapi } from './openapi.ts'

export interface ToolPagesOptions {
  readonly publicUrl: string
  readonly hostedFolder: string
  readonly sandboxFrom: SandboxAccess
}

export function addDocsRoutes(app: App, options: ToolPagesOptions): void {
  const { publicUrl, hostedFolder, sandboxFrom } = options
  const description = JSON.stringify(openapi(publicUrl), null, 2)
  app.get(routes.openapi.path, (_request, reply) => reply.headers(jsonHeaders).send(description))
  // Built from `guides/api.md`.
  app.get(routes.docs.path, (_request, reply) =>
    page(reply, toolPageHeaders, readPage(hostedFolder, 'docs')),
  )
  app.get(routes.home.path, (request, reply) => {
    const hasInspector = sandboxFrom === 'network' || isLocal(request)
    return toolPage(reply, hostedFolder, startContent(publicUrl, hasInspector))
  })
}

export function addInspector(app: App, { hostedFolder }: ToolPagesOptions): void {
  // Not a permanent redirect: other programs use the port later.
  app.get(routes.inspectorFolder.path, (_request, reply) =>
    reply.header('x-content-type-options', 'nosniff').redirect(routes.inspector.path, 303),
  )
  // A static page. The fragment of the printed link contains the admin token, and is not sent.
  app.get(routes.inspector.path, (_request, reply) =>
    page(reply, toolPageHeaders, readPage(hostedFolder, 'inspector')),
  )
}

/** Sends the page of a problem for a browser that opens an address. */
export function problemPage(
  reply: FastifyReply,
  problem: ProblemError,
  { publicUrl, hostedFolder }: ToolPagesOptions,
): FastifyReply {
  const texts = [problemTitle(problem), problem.message, publicUrl]
  const [heading, text, link] = texts.map(escapeHtml)
  const content = `<h1>${heading}</h1><p>${text}</p><p><a href="${link}">Start page</a> · <a href="/docs">Documentation</a></p>`
  return toolPage(reply, hostedFolder, content)
}

function toolPage(reply: FastifyReply, hostedFolder: string, content: string): FastifyReply {
  const html = readPage(hostedFolder, 'tool').replace('<!--content-->', () => content)
  return page(reply, toolPageHeaders, html)
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
