/** Pages for developers: API description, documentation, inspector, and errors. @module */
import { problemCodes } from '@pi-checkout/contract'
import type { FastifyReply } from 'fastify'
import { routes } from '../../shared/routes.ts'
import { readPage } from '../checkout/pages.ts'
import type { App } from '../http/app.ts'
import { toolPageHeaders } from '../http/page-headers.ts'
import type { ProblemError } from '../http/problem.ts'
import { escapeHtml, jsonHeaders, page } from '../http/send.ts'
import type { AppOptions } from '../options.ts'
import { openapi } from './openapi.ts'

export function addDocsRoutes(app: App, { publicUrl }: AppOptions): void {
  const description = JSON.stringify(openapi(publicUrl), null, 2)
  app.get(routes.openapi.path, (_request, reply) => reply.headers(jsonHeaders).send(description))
  app.get(routes.home.path, (_request, reply) => redirect(reply, routes.docs.path))
  // Built from `guides/api.md`.
  app.get(routes.docs.path, (_request, reply) => page(reply, toolPageHeaders, readPage('docs')))
}

export function addInspector(app: App): void {
  app.get(routes.inspectorFolder.path, (_request, reply) => redirect(reply, routes.inspector.path))
  // A static page. The fragment of the printed link contains the admin token, and is not sent.
  app.get(routes.inspector.path, (_request, reply) =>
    page(reply, toolPageHeaders, readPage('inspector')),
  )
}

/** Not permanently, because other programs use the port later. */
function redirect(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').redirect(path, 303)
}

/** Sends the page of a problem for a browser that opens an address. */
export function problemPage(reply: FastifyReply, problem: ProblemError): FastifyReply {
  const { title, status } = problemCodes[problem.code]
  const [heading, text] = [title, problem.message].map(escapeHtml)
  const content = `<main class="apart stack"><p class="hint">${status} <code>${problem.code}</code></p>
    <h1>${heading}</h1><p>${text}</p><p><a href="/docs">Documentation</a></p></main>`
  const html = readPage('tool').replace('<!--content-->', () => content)
  return page(reply, toolPageHeaders, html)
}
