/** Routes of the test bank, which has a separate origin. Results go to the store, not to a page. @module */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ChallengeResult } from '../../shared/checkout-api.ts'
import { routes } from '../../shared/routes.ts'
import { type App, parseForms } from '../http/app.ts'
import { challengeHeaders } from '../http/page-headers.ts'
import { json, page } from '../http/send.ts'
import type { Challenge } from '../intents/intent.ts'
import type { IntentStore } from '../intents/store.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { type Outcome, takeStep } from './challenges.ts'
import { challengePage, codeForm, errorText, noteOf, noteText } from './pages.ts'

export interface TestBankOptions {
  readonly intents: IntentStore
  readonly keys: SecretKeys
  readonly publicUrl: string
  readonly hostedFolder: string
}

export function addTestBankRoutes(app: App, options: TestBankOptions): void {
  parseForms(app, formBytes)
  addSteps(app, options, {
    display: 'challenge',
    enter: routes.challenge.path,
    answer: routes.challengeAnswer.path,
  })
  addSteps(app, options, {
    display: 'redirect',
    enter: routes.bank.path,
    answer: routes.bankAnswer.path,
  })
}

const formBytes = 4096

function addSteps(
  app: App,
  { intents, keys, publicUrl, hostedFolder }: TestBankOptions,
  paths: {
    readonly display: Challenge['type']
    readonly enter: string
    readonly answer: string
  },
): void {
  const { display } = paths
  const store = { intents, keys }
  const schema = { body: FormSchema }

  function respond(reply: FastifyReply, outcome: Outcome, locale: string): FastifyReply {
    // None if the token is unknown.
    const registered =
      outcome.next === 'over' ? outcome.origins : outcome.snapshot.environment.allowedOrigins
    const frame = display === 'redirect' ? 'page' : 'frame'
    const headers = challengeHeaders(frame, [publicUrl, ...registered])
    if (outcome.next === 'done' && outcome.returnPage) {
      // 303 leads to a GET, with which browsers send the shop's SameSite=Lax cookies.
      return reply
        .code(303)
        .headers({ ...headers, location: outcome.returnPage })
        .send()
    }
    const content =
      outcome.next === 'ask' ? codeForm(outcome, locale) : noteOf(outcome.next, locale)
    return page(reply, headers, challengePage(hostedFolder, { content, locale, display }))
  }

  app.post(paths.enter, { schema }, async ({ body }, reply) => {
    const { token, locale } = body
    const outcome = await takeStep(store, 'enter', { token, display, code: undefined })
    return respond(reply, outcome, locale)
  })

  app.post(paths.answer, { schema }, async (request, reply) => {
    const { token, locale, action, code } = request.body
    const entered = action === 'cancel' ? undefined : code.trim()
    const outcome = await takeStep(store, 'answer', { token, display, code: entered })
    // The response may contain the next token. Headers of JSON prevent caching and embedding.
    if (isScript(request)) return json(reply, resultOf(outcome, locale))
    return respond(reply, outcome, locale)
  })
}

/** If a field or the form is missing, the token is empty and so invalid. */
const Text = z.string().default('')
const FormSchema = z
  .object({
    token: Text,
    locale: Text.transform((locale) => locale.slice(0, 64)),
    action: Text,
    code: Text,
  })
  .prefault({})

/** Returns whether a script sent the request, as in an iframe, where a form post adds a history entry. */
function isScript({ headers }: FastifyRequest): boolean {
  return headers.accept === 'application/json'
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
