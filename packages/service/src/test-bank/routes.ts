/** Routes of the test bank, which has a separate origin. Results go to the store, not to a page. @module */
import type { ChallengeResult } from '../../shared/checkout-api.ts'
import type { RouteName } from '../../shared/routes.ts'
import type { CheckoutRoutesOptions } from '../checkout/routes.ts'
import { readBody } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { challengeHeaders } from '../http/page-headers.ts'
import { ProblemError } from '../http/problem.ts'
import { type Handler, json, page, type RouteResponse } from '../http/response.ts'
import {
  type ChallengeDisplay,
  type ChallengeOutcome,
  type EnteredChallenge,
  enterChallenge,
  originsOfToken,
  type Step,
  submitCode,
} from './challenges.ts'
import { challengePage, codeForm, errorText, noteOf, noteText } from './pages.ts'

type TestBankOptions = Pick<CheckoutRoutesOptions, 'db' | 'now' | 'publicUrl' | 'hostedFolder'>

export function testBankRoutes(options: TestBankOptions) {
  const framed = bankHandlers(options, 'frame')
  const full = bankHandlers(options, 'page')
  return {
    challenge: framed.enter,
    challengeAnswer: framed.answer,
    bank: full.enter,
    bankAnswer: full.answer,
  } satisfies Partial<Record<RouteName, Handler>>
}

const formBytes = 4096

function bankHandlers(
  { db, now, publicUrl, hostedFolder }: TestBankOptions,
  display: ChallengeDisplay,
): { readonly enter: Handler; readonly answer: Handler } {
  const headersFor = (registered: readonly string[]): Record<string, string> =>
    challengeHeaders(display, [publicUrl, ...registered])
  const show = (content: string, { locale, registered }: Page): RouteResponse =>
    page(headersFor(registered), challengePage(hostedFolder, { content, locale }))
  const ask = (challenge: EnteredChallenge, locale: string): RouteResponse =>
    show(codeForm(challenge, { locale, display }), {
      locale,
      registered: challenge.environment.allowedOrigins,
    })
  const showOver = async ({ token, locale }: Form, step: Step): Promise<RouteResponse> =>
    show(noteOf('over', locale), { locale, registered: await originsOfToken(db, { token, step }) })

  return {
    enter: async (call) => {
      const form = await readForm(call)
      const challenge = await enterChallenge({ db, now }, { token: form.token, display })
      return challenge ? ask(challenge, form.locale) : await showOver(form, 'enter')
    },
    answer: async (call) => {
      const form = await readForm(call)
      const { token, locale, code } = form
      const outcome = await submitCode({ db, now }, { token, display, code })
      // The response may contain the next token. Headers of JSON prevent caching and embedding.
      if (isScript(call)) return json(resultOf(outcome, locale))
      if (!outcome) return await showOver(form, 'answer')
      if (outcome.next === 'ask') return ask(outcome.challenge, locale)
      const { returnPage } = outcome
      const registered = outcome.snapshot.environment.allowedOrigins
      if (!returnPage) return show(noteOf('done', locale), { locale, registered })
      // 303 leads to a GET, with which browsers send the shop's SameSite=Lax cookies.
      return { status: 303, base: headersFor(registered), headers: { location: returnPage } }
    },
  }
}

interface Page {
  readonly locale: string
  /** Origins whose pages may frame the page. None if the token is unknown. */
  readonly registered: readonly string[]
}

/** Returns whether a script sent the request, as in an iframe, where a form post adds a history entry. */
function isScript({ request }: Call): boolean {
  return request.headers.accept === 'application/json'
}

function resultOf(outcome: ChallengeOutcome | undefined, locale: string): ChallengeResult {
  if (outcome?.next === 'ask') {
    const { token, tries } = outcome.challenge
    return { token, error: errorText(tries, locale) }
  }
  return outcome ? { done: noteText('done', locale) } : { over: noteText('over', locale) }
}

interface Form {
  readonly token: string
  readonly locale: string
  /** `undefined` if the buyer canceled. */
  readonly code: string | undefined
}

/** Reads the form. If a field or the form is missing, the token is empty and so invalid. */
async function readForm({ request }: Call): Promise<Form> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity') {
    throw new ProblemError(
      'unsupported_media_type',
      'Content-Encoding is not supported. Send the body uncompressed.',
    )
  }
  const isForm = /^application\/x-www-form-urlencoded *(?:;|$)/i.test(type)
  const text = isForm ? (await readBody(request, formBytes)).toString('utf8') : ''
  const fields = new URLSearchParams(text)
  const field = (name: string): string => fields.get(name) ?? ''
  const code = field('action') === 'cancel' ? undefined : field('code').trim()
  return { token: field('token'), locale: field('locale').slice(0, 64), code }
}
