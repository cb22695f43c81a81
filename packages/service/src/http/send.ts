/** Sends JSON, which browsers must not render, store, or embed, and pages. @module */
import { gzipSync } from 'node:zlib'
import { headers as names, ownProfileName } from '@pi-checkout/contract'
import type { FastifyReply } from 'fastify'

export const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  // The client knows the names and statuses of this service by it.
  [names.profile]: ownProfileName,
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

export function json(reply: FastifyReply, body: object, status = 200): FastifyReply {
  return reply.code(status).headers(jsonHeaders).send(body)
}

/**
 * Sends a page, compressed if the browser accepts it: its styles are inline. The only secret in one is the bank's token,
 * which is another one in each response, so that its length tells nothing.
 *
 * @param headers - Those of the page's kind, as `page-headers.ts` has them.
 */
export function page(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  body: string,
): FastifyReply {
  const accepted = reply.request.headers['accept-encoding']?.split(/, ?/) ?? []
  const type = { 'content-type': 'text/html; charset=utf-8', vary: 'accept-encoding' }
  reply.headers({ ...headers, ...type })
  if (!accepted.includes('gzip')) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(gzipSync(body))
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
