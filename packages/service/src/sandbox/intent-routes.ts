/** Routes of intents in test environments: details, revoking secrets, and simulated outcomes. @module */
import { routes } from '../../shared/routes.ts'
import { fullPageOf, inspectorUrl } from '../checkout/full-page.ts'
import type { App } from '../http/app.ts'
import { ProblemError } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { newProviderPaymentId, randomBase62 } from '../ids.ts'
import { change, load } from '../intents/store.ts'
import { findIntent } from './intents.ts'
import { IdSchema, SettleSchema } from './parse-request.ts'
import type { SandboxRoutesOptions } from './sandbox.ts'

export function addIntentRoutes(app: App, options: SandboxRoutesOptions): void {
  const { intents, sessions, publicUrl, requestLog } = options
  const params = IdSchema

  app.get(routes.intent.path, { schema: { params } }, async ({ params: { id } }, reply) => {
    const found = await findIntent(intents, id)
    if (!found) throw sandboxApiError('payment_intent_not_found')
    return json(reply, { ...found, requests: requestLog.requestsAbout(found.environment, id) })
  })

  app.post(
    routes.settle.path,
    { schema: { params, body: SettleSchema } },
    async ({ params: { id }, body: { outcome } }, reply) => {
      const found = await load(intents, id)
      // The sandbox does not reveal whether a live intent exists.
      if (found?.environment.mode !== 'test') throw sandboxApiError('payment_intent_not_found')
      const changed = await change(intents, id, {
        type: 'simulated',
        outcome,
        confirmationId: `sandbox_${randomBase62(16)}`,
        providerPaymentId: newProviderPaymentId(),
      })
      if (!changed) throw sandboxApiError('payment_intent_not_found')
      if (changed.rejection) throw sandboxApiError(changed.rejection)
      return json(reply, { id, status: changed.intent.status })
    },
  )

  // The cookie is all that the page needs, so no clientSecret is created.
  app.post(routes.testCheckout.path, { schema: { params } }, async (request, reply) => {
    const { id } = request.params
    const found = await load(intents, id)
    if (found?.environment.mode !== 'test') throw sandboxApiError('payment_intent_not_found')
    const [origin] = found.environment.allowedOrigins
    if (origin === undefined) throw sandboxApiError('origin_not_allowed')
    const { token } = await sessions.sign('full-page', { id, origin })
    const query = new URLSearchParams({ return: inspectorUrl(publicUrl, id) })
    const { path, cookie } = fullPageOf(publicUrl, { id, token, query })
    return json(reply.header('set-cookie', cookie), { path }, 201)
  })
}

function sandboxApiError(code: keyof typeof details): ProblemError {
  return new ProblemError(code, details[code])
}

const details = {
  origin_not_allowed: 'Register an origin first. A checkout is open for one of them.',
  payment_intent_not_found: 'No test environment has a Payment Intent with this id.',
  intent_finalized: 'The Payment Intent is final, so its outcome cannot be changed.',
  confirmation_in_progress:
    'The payment is processing. Only succeeded, declined, and failed are possible.',
  version_conflict: 'The Payment Intent was changed by another request. Read it again.',
} as const
