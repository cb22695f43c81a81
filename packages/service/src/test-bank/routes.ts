/**
 * Routes of the test bank, which has a separate origin. Each step needs the one-time token of the form before it. Results go
 * to the store, not to a page.
 *
 * @module
 */
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import { type App, parseForms } from '../http/app.ts'
import { challengeHeaders } from '../http/page-headers.ts'
import { page } from '../http/send.ts'
import { newId } from '../ids.ts'
import { type Challenge, stateOf } from '../intents/intent.ts'
import type { Cause } from '../intents/lifecycle.ts'
import type { AppOptions } from '../options.ts'
import { hashOfToken } from '../tokens.ts'
import { bankPage, type Outcome } from './pages.ts'

export function addTestBankRoutes(app: App, options: AppOptions): void {
  const { intents, publicUrl, sessions } = options
  parseForms(app, formBytes)

  /**
   * @param code - `undefined` if the buyer canceled, or only opens the form.
   * @returns The outcome, and the origins whose pages may frame it: none if the token is unknown.
   */
  async function takeStep(
    purpose: 'challenge' | 'code',
    display: Challenge['type'],
    { token, code }: { readonly token: string; readonly code: string | undefined },
  ): Promise<{ readonly outcome: Outcome; readonly origins: readonly string[] }> {
    const subject = await sessions.verify(purpose, token)
    const found = subject && (await intents.load(subject.id))
    const origins = found?.environment.allowedOrigins ?? []
    const over = { outcome: { next: 'over', returnPage: null }, origins } as const
    if (!subject || !origins.includes(subject.origin)) return over
    const next = await sessions.sign('code', subject)
    const step = { display, token: hashOfToken(token), next: hashOfToken(next) }
    const cause: Cause =
      purpose === 'challenge'
        ? { type: 'challenge_entered', ...step }
        : { type: 'challenge_answered', code, providerPaymentId: newId('sim_', 24), ...step }
    const changed = await intents.change(subject.id, cause)
    if (!changed || changed.rejection) return over
    const { challenge } = stateOf(changed.intent)
    if (challenge) {
      return { outcome: { next: 'ask', snapshot: changed, challenge, token: next }, origins }
    }
    const { returnPage = null } = stateOf(changed.before).challenge ?? {}
    return { outcome: { next: 'done', returnPage }, origins }
  }

  for (const [display, enter, answer] of [
    ['challenge', routes.challenge.path, routes.challengeAnswer.path],
    ['redirect', routes.bank.path, routes.bankAnswer.path],
  ] as const) {
    const respond = (
      reply: FastifyReply,
      { outcome, origins }: Awaited<ReturnType<typeof takeStep>>,
      locale: string,
    ): FastifyReply => {
      const headers = challengeHeaders(display, [publicUrl, ...origins])
      if (outcome.next !== 'ask' && outcome.returnPage) {
        // 303 leads to a GET, with which browsers send the shop's SameSite=Lax cookies.
        return reply.headers(headers).redirect(outcome.returnPage, 303)
      }
      return page(reply, headers, bankPage(outcome, { locale, display }))
    }

    app.post(enter, { schema: { body: FormSchema } }, async ({ body }, reply) => {
      const { token, locale } = body
      const step = await takeStep('challenge', display, { token, code: undefined })
      return respond(reply, step, locale)
    })
    app.post(answer, { schema: { body: FormSchema } }, async ({ body }, reply) => {
      const { token, locale, action } = body
      const code = action === 'cancel' ? undefined : body.code.trim()
      const step = await takeStep('code', display, { token, code })
      return respond(reply, step, locale)
    })
  }
}

const formBytes = 4096

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
