/**
 * Reports of a browser that one of our pages broke its policy. Kept is which rule, and whose.
 *
 * @module
 */
import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { readBody } from '../http/body.ts'
import { readJson } from '../http/json.ts'
import { ProblemError } from '../http/problem.ts'

/** Takes `application/reports+json` without a token: a browser sends it by itself. */
export function cspReports({ log, now }: Context): RequestHandler {
  let window = { begins: 0, reports: 0 }
  return async (request, response) => {
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
    response.writeHead(204).end()
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

/** The origin alone: an address may carry anything. */
function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'inline'
}
