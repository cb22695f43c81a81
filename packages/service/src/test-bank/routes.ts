/** Routes of the test bank, which has a separate origin. Results go to the store, not to a page. @module */
import type { ChallengeResult } from '../../shared/checkout-api.ts'
import type { RouteName } from '../../shared/routes.ts'
import type { CheckoutRoutesOptions } from '../checkout/routes.ts'
import { formBody } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { challengeHeaders } from '../http/page-headers.ts'
import { type Handler, json, page, type RouteResponse } from '../http/response.ts'
import type { Challenge } from '../intents/intent.ts'
import { type Outcome, takeStep } from './challenges.ts'
import { challengePage, codeForm, errorText, noteOf, noteText } from './pages.ts'

type TestBankOptions = Pick<
  CheckoutRoutesOptions,
  'intents' | 'keys' | 'publicUrl' | 'hostedFolder'
>

export function testBankRoutes(options: TestBankOptions) {
  const framed = bankHandlers(options, 'challenge')
  const full = bankHandlers(options, 'redirect')
  return {
    challenge: framed.enter,
    challengeAnswer: framed.answer,
    bank: full.enter,
    bankAnswer: full.answer,
  } satisfies Partial<Record<RouteName, Handler>>
}

const formBytes = 4096

function bankHandlers(
  { intents, keys, publicUrl, hostedFolder }: TestBankOptions,
  display: Challenge['type'],
): { readonly enter: Handler; readonly answer: Handler } {
  const store = { intents, keys }
  const headersFor = (registered: readonly string[]): Record<string, string> =>
    challengeHeaders(display === 'redirect' ? 'page' : 'frame', [publicUrl, ...registered])

  function respond(outcome: Outcome, locale: string): RouteResponse {
    // None if the token is unknown.
    const registered =
      outcome.next === 'over' ? outcome.origins : outcome.snapshot.environment.allowedOrigins
    const headers = headersFor(registered)
    if (outcome.next === 'done' && outcome.returnPage) {
      // 303 leads to a GET, with which browsers send the shop's SameSite=Lax cookies.
      return { status: 303, base: headers, headers: { location: outcome.returnPage } }
    }
    const content =
      outcome.next === 'ask' ? codeForm(outcome, locale) : noteOf(outcome.next, locale)
    return page(headers, challengePage(hostedFolder, { content, locale, display }))
  }

  return {
    enter: async (call) => {
      const { locale, ...form } = await readForm(call)
      return respond(await takeStep(store, 'enter', { ...form, display }), locale)
    },
    answer: async (call) => {
      const { locale, ...form } = await readForm(call)
      const outcome = await takeStep(store, 'answer', { ...form, display })
      // The response may contain the next token. Headers of JSON prevent caching and embedding.
      return isScript(call) ? json(resultOf(outcome, locale)) : respond(outcome, locale)
    },
  }
}

/** Returns whether a script sent the request, as in an iframe, where a form post adds a history entry. */
function isScript({ request }: Call): boolean {
  return request.headers.accept === 'application/json'
}

function resultOf(outcome: Outcome, locale: string): ChallengeResult {
  switch (outcome.next) {
    case 'ask':
      return { token: outcome.token, error: errorText(outcome.challenge.tries, locale) }
    case 'done':
      return { done: noteText('done', locale) }
    case 'over':
      return { over: noteText('over', locale) }
  }
}

/** Reads the form. If a field or the form is missing, the token is empty and so invalid. */
async function readForm({ request }: Call) {
  const field = await formBody(request, formBytes)
  const code = field('action') === 'cancel' ? undefined : field('code').trim()
  return { token: field('token'), locale: field('locale').slice(0, 64), code }
}
