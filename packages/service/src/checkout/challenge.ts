/** Opens the challenge of an intent, in an iframe of the hosted page or as a separate page. @module */
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import type { App } from '../http/app.ts'
import { ProblemError } from '../http/problem.ts'
import { createBuckets, type Rate } from '../http/rate-limit.ts'
import { json } from '../http/send.ts'
import { hashOfToken } from '../tokens.ts'
import { readFullPage } from './full-page.ts'
import { maxUrlLength, readReturnUrl } from './return-url.ts'
import { actionError, type Sessions } from './sessions.ts'

export interface ChallengeOptions {
  readonly sessions: Sessions
  readonly now: () => Date
  readonly publicUrl: string
}

/** Openings of one intent. */
const openRate: Rate = { burst: 20, perSecond: 20 / 60 }

export function addChallengeRoutes(app: App, { sessions, now, publicUrl }: ChallengeOptions): void {
  const opens = createBuckets(openRate, now)
  app.post(
    routes.openChallenge.path,
    {
      schema: { body: OpenSchema },
      onRequest: [sessions.enter, async ({ checkout }) => opens.take(checkout.session.id)],
    },
    async (request, reply) => {
      const { snapshot, session } = request.checkout
      const { nextAction } = sessions.view(snapshot)
      if (!nextAction) throw actionError('version_conflict')
      const isRedirect = nextAction.type === 'redirect'
      const place = { publicUrl, snapshot }
      const returnPage = isRedirect ? checkedReturnPage(place, request.body.returnUrl) : null
      const token = await sessions.sign('challenge', session)
      const opened = { token: hashOfToken(token), returnPage }
      await sessions.act(request, { type: 'challenge_opened', ...opened })
      return json(reply, { url: nextAction.url, token })
    },
  )
}

const returnUrlRule = `must be an address of at most ${maxUrlLength} characters`
const OpenSchema = z.strictObject({
  returnUrl: z.string(returnUrlRule).max(maxUrlLength, returnUrlRule).optional(),
})

/** @param returnUrl - An address of the shop, or the query of the full page, which returns to itself. */
function checkedReturnPage(place: Parameters<typeof readFullPage>[1], returnUrl = ''): string {
  const page = returnUrl.startsWith('?')
    ? readFullPage(returnUrl, place)
    : readReturnUrl(returnUrl, place.snapshot.environment.allowedOrigins)
  if (page) return page
  throw new ProblemError(
    'origin_not_allowed',
    'returnUrl must be an address on a registered origin, with https, or with http on loopback.',
  )
}
