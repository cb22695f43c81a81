/**
 * The stand-in issuer, on an origin of its own. It tells the service the result, never a page.
 *
 * @module
 */
import express, { type Express, type Response } from 'express'
import type { Context } from '../context.ts'
import { bareApp, finished } from '../http/express-app.ts'
import { hostCheck } from '../http/host.ts'
import { answerChallenge, enterChallenge, type Presentation } from './challenge.ts'
import { codeForm, doneNote, overNote } from './challenge-content.ts'
import { languageOf } from './language.ts'
import { framedChallengeHeaders, fullChallengeHeaders } from './page-headers.ts'
import { assetsPath, challengePage } from './pages.ts'
import { returnAddress } from './return-url.ts'
import { builtAssets } from './router.ts'
import type { Standing } from './standing.ts'
import { challengePaths } from './view.ts'

/** Returns the application of the challenge listener. */
export function challengeApp(context: Context): Express {
  const app = bareApp()
  app.use(hostCheck(context.challengeUrl))
  app.use(assetsPath, builtAssets(context.hostedFolder))
  app.use(express.urlencoded({ extended: false, limit: '4kb', parameterLimit: 8, inflate: false }))
  for (const presentation of ['frame', 'page'] as const) issuer(app, context, presentation)
  return finished(app, context)
}

/** The issuer's two steps: ask for the code, take the code. */
function issuer(app: Express, context: Context, presentation: Presentation): void {
  const path = presentation === 'frame' ? challengePaths.challenge : challengePaths.redirect
  const answerPath = `${path}/answer`
  const show = (response: Response, page: Page): void => {
    const origins = {
      checkoutOrigin: context.publicUrl,
      registered: page.standing?.environment.allowedOrigins ?? [],
    }
    response
      .set(
        presentation === 'frame' ? framedChallengeHeaders(origins) : fullChallengeHeaders(origins),
      )
      .type('html')
      .send(challengePage(context.hostedFolder, { ...page, language: languageOf(page.locale) }))
  }

  app.post(path, async (request, response) => {
    const { token, locale } = readForm(request.body)
    const challenge = await enterChallenge(context, { token, presentation })
    const content = challenge
      ? codeForm(challenge, { action: answerPath, locale, presentation })
      : overNote(locale)
    show(response, { content, locale, standing: challenge })
  })

  app.post(answerPath, async (request, response) => {
    const { token, locale, code } = readForm(request.body)
    const answered = await answerChallenge(context, { token, presentation, code })
    if (!answered) return show(response, { content: overNote(locale), locale })
    if (answered.next === 'ask') {
      const { challenge } = answered
      const content = codeForm(challenge, { action: answerPath, locale, presentation })
      return show(response, { content, locale, standing: challenge })
    }
    const { standing, returnPage } = answered
    if (!returnPage) return show(response, { content: doneNote(locale), locale, standing })
    // A GET, so that the shop's SameSite=Lax session comes along.
    response
      .set(
        fullChallengeHeaders({
          checkoutOrigin: context.publicUrl,
          registered: standing.environment.allowedOrigins,
        }),
      )
      .redirect(303, returnAddress(returnPage, standing.intent.id))
  })
}

interface Page {
  readonly content: string
  readonly locale: string
  readonly standing?: Standing | undefined
}

/** A form of ours, or anybody's: what is missing becomes a token that opens nothing. */
function readForm(body: unknown): {
  readonly token: string
  readonly locale: string
  /** `undefined`: Cancel was pressed. */
  readonly code: string | undefined
} {
  const field = (name: string): string => {
    const value = typeof body === 'object' && body ? Reflect.get(body, name) : undefined
    return typeof value === 'string' ? value : ''
  }
  const code = field('action') === 'cancel' ? undefined : field('code').trim()
  return { token: field('token'), locale: field('locale').slice(0, 64), code }
}
