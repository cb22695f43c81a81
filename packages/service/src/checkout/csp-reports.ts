/**
 * Reports of browsers that a page of the service broke its Content Security Policy. The log gets the
 * directive and the blocked origin.
 *
 * @module
 */
import type { Logger } from 'pino'
import { z } from 'zod'
import { readBody } from '../http/body.ts'
import { readJson } from '../http/json.ts'
import { ProblemError } from '../http/problem.ts'
import { type Handler, noContent } from '../http/response.ts'

/** Accepts `application/reports+json` without a token: browsers send it automatically. */
export function cspReports({
  log,
  now,
}: {
  readonly log: Logger
  readonly now: () => Date
}): Handler {
  let window = { begins: 0, reports: 0 }
  return async ({ request }) => {
    if (!request.headers['content-type']?.startsWith('application/reports+json')) {
      throw new ProblemError(
        'unsupported_media_type',
        'Content-Type must be application/reports+json.',
        { headers: { 'accept-post': 'application/reports+json' } },
      )
    }
    const minute = Math.floor(now().getTime() / 60_000)
    window = window.begins === minute ? window : { begins: minute, reports: 0 }
    const sent = readJson(await readBody(request, maxBytes))
    // No more of them are read than would be logged.
    const reports = Reports.safeParse(Array.isArray(sent) ? sent.slice(0, perMinute) : sent)
    for (const { body } of reports.data ?? []) {
      if (++window.reports > perMinute) break
      const { effectiveDirective: directive, blockedURL: blocked } = body
      log.warn({ directive, blocked: blocked && originOf(blocked) }, 'A page broke its policy')
    }
    return noContent()
  }
}

const maxBytes = 16 * 1024
const perMinute = 60

const Reports = z.array(
  z.looseObject({
    type: z.literal('csp-violation'),
    body: z.looseObject({
      effectiveDirective: z.string().regex(/^[a-z-]{1,40}$/),
      blockedURL: z.string().optional(),
    }),
  }),
)

/** Only the origin: an address may contain anything. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'inline'
}
