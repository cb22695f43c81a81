/** Receives browsers' reports of policy violations, and logs the directive and the blocked origin. @module */
import express, { Router } from 'express'
import { rateLimit } from 'express-rate-limit'
import { z } from 'zod'
import { log } from './problem.ts'

const Reports = z.array(
  z.looseObject({
    type: z.string(),
    body: z.looseObject({
      effectiveDirective: z.string().max(64).optional(),
      blockedURL: z.string().optional(),
    }),
  }),
)

export function policyReports(): Router {
  const reports = Router({ strict: true })
  reports.use(
    rateLimit({ windowMs: 60_000, limit: 30, standardHeaders: false, legacyHeaders: false }),
  )
  reports.post(
    '/',
    express.json({ type: 'application/reports+json', limit: '16kb' }),
    (req, res) => {
      const read = Reports.safeParse(req.body)
      for (const { type, body } of read.success ? read.data : []) {
        if (type !== 'csp-violation') continue
        const { effectiveDirective: directive, blockedURL } = body
        log('warn', type, { directive, blocked: originOf(blockedURL) })
      }
      res.status(204).end()
    },
  )
  return reports
}

/** A path may contain anything, so only the origin, or a keyword such as `inline`, is logged. */
function originOf(blocked: string | undefined): string | undefined {
  if (blocked === undefined) return undefined
  return URL.canParse(blocked) ? new URL(blocked).origin : blocked.slice(0, 32)
}
