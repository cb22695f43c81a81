/** Logs the CSP violations that browsers report: directive and blocked origin. @module */
import type { Logger } from 'pino'
import { z } from 'zod'
import { readBody } from '../http/body.ts'
import { readJson } from '../http/json.ts'
import { ProblemError } from '../http/problem.ts'
import { type Handler, noContent } from '../http/response.ts'

/** Returns the handler of reports. It requires no token, because browsers send reports without one. */
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
    // Parse only as many reports as may be logged.
    const reports = Reports.safeParse(Array.isArray(sent) ? sent.slice(0, perMinute) : sent)
    for (const { body } of reports.data ?? []) {
      if (++window.reports > perMinute) break
      const { effectiveDirective: directive, blockedURL: blocked } = body
      log.warn({ directive, blocked: blocked && originOf(blocked) }, 'A page violated its CSP')
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

/** Returns the origin of an address. The rest may contain personal data, so it is not logged. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'inline'
}
