/**
 * The stand-in issuer, on an origin of its own. It tells the service the result, never a page.
 *
 * @module
 */
import express, { type Express, type Request, type Response } from 'express'
import type { ChallengeResult } from '../../shared/checkout-api.ts'
import { languageOf } from '../../shared/language.ts'
import type { Context } from '../context.ts'
import { askForBody } from '../http/expectations.ts'
import { bareApp, finished } from '../http/express-app.ts'
import { jsonHeaders } from '../http/headers.ts'
import { hostCheck } from '../http/host.ts'
import { only, onlyGet } from '../http/method-not-allowed.ts'
import {
  type Answered,
  answerChallenge,
  enterChallenge,
  type OpenChallenge,
  originsOfToken,
  type Presentation,
  type Step,
} from './challenge.ts'
import { codeForm, doneNote, faultText, noteText, overNote } from './challenge-content.ts'
import { framedChallengeHeaders, fullChallengeHeaders } from './page-headers.ts'
import { assetsPath, challengePage } from './pages.ts'
import { builtAssets } from './router.ts'
import { challengePaths } from './view.ts'

/** Returns the application of the challenge listener. */
export function challengeApp(context: Context): Express {
  const app = bareApp(context.challengeUrl)
  app.use(hostCheck(context.challengeUrl))
  app.use(assetsPath, builtAssets(context.hostedFolder), onlyGet)
  app.use((request, _response, next) => {
    if (Number(request.headers['content-length'] ?? 0) <= formBytes) askForBody(request)
    next()
  })
  app.use(
    express.urlencoded({ extended: false, limit: formBytes, parameterLimit: 8, inflate: false }),
  )
  for (const presentation of ['frame', 'page'] as const) issuer(app, context, presentation)
  return finished(app, context)
}

const formBytes = 4096

/** The issuer's two steps: ask for the code, take the code. */
function issuer(app: Express, context: Context, presentation: Presentation): void {
  const path = presentation === 'frame' ? challengePaths.challenge : challengePaths.redirect
  const answerPath = `${path}/answer`

  const show = (response: Response, content: string, page: Page): void => {
    const html = challengePage(context.hostedFolder, { content, language: languageOf(page.locale) })
    response
      .set(headersFor(context, presentation, page.registered))
      .type('html')
      .send(html)
  }
  const ask = (response: Response, challenge: OpenChallenge, locale: string): void => {
    const content = codeForm(challenge, { action: answerPath, locale, presentation })
    show(response, content, { locale, registered: challenge.environment.allowedOrigins })
  }
  const tellOver = async (
    response: Response,
    { token, locale, step }: { readonly token: string; readonly locale: string; step: Step },
  ): Promise<void> => {
    const registered = await originsOfToken(context, { token, step })
    show(response, overNote(locale), { locale, registered })
  }

  app.post(path, async (request, response) => {
    const { token, locale } = readForm(request.body)
    const challenge = await enterChallenge(context, { token, presentation })
    if (!challenge) return await tellOver(response, { token, locale, step: 'enter' })
    ask(response, challenge, locale)
  })

  app.post(answerPath, async (request, response) => {
    const { token, locale, code } = readForm(request.body)
    const answered = await answerChallenge(context, { token, presentation, code })
    if (isScript(request)) {
      // It may hold the token of the next step: no cache keeps it, and no page embeds it.
      return void response.set(jsonHeaders).json(scriptAnswer(answered, locale))
    }
    if (!answered) return await tellOver(response, { token, locale, step: 'answer' })
    if (answered.next === 'ask') return ask(response, answered.challenge, locale)
    const { returnPage } = answered
    const registered = answered.standing.environment.allowedOrigins
    if (!returnPage) return show(response, doneNote(locale), { locale, registered })
    // A GET, so that the shop's SameSite=Lax session comes along.
    // Not `redirect`, which spells the address anew.
    response
      .status(303)
      .set({ ...headersFor(context, presentation, registered), Location: returnPage })
      .end()
  })
  for (const each of [path, answerPath]) app.all(each, only('POST'))
}

interface Page {
  readonly locale: string
  /** Origins whose pages may hold it; of a token that was never issued, none. */
  readonly registered: readonly string[]
}

function headersFor(
  { publicUrl }: Context,
  presentation: Presentation,
  registered: readonly string[],
): Record<string, string> {
  const headers = presentation === 'frame' ? framedChallengeHeaders : fullChallengeHeaders
  return headers({ checkoutOrigin: publicUrl, registered })
}

/** The framed page posts by script: a form's post would add an entry to the shop's history. */
function isScript(request: Request): boolean {
  return request.headers.accept === 'application/json'
}

function scriptAnswer(answered: Answered | undefined, locale: string): ChallengeResult {
  if (answered?.next === 'ask') {
    const { token, tries } = answered.challenge
    return { token, error: faultText(tries, locale) }
  }
  return answered ? { done: noteText('done', locale) } : { over: noteText('over', locale) }
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
