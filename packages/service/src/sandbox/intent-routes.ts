/** Routes of intents in test environments: details, revoking secrets, and simulated outcomes. @module */
import { z } from 'zod'
import type { RouteName } from '../../shared/routes.ts'
import { simulatedOutcomes } from '../../shared/sandbox-api.ts'
import { ProblemError } from '../http/problem.ts'
import { type Handler, json } from '../http/response.ts'
import { revokeSecret } from '../intents/intents.ts'
import { findIntentDetails } from './intent-details.ts'
import { parseBody } from './parse-request.ts'
import type { SandboxRoutesOptions } from './sandbox.ts'
import { simulateOutcome } from './simulate-outcome.ts'

export function intentRoutes({ db, now, topics, requestLog }: SandboxRoutesOptions) {
  return {
    intent: async ({ params: { id = '' } }) => {
      const found = await findIntentDetails({ db, now }, id)
      if (!found) throw sandboxApiError('payment_intent_not_found')
      const { secret, idempotency, ...shown } = found
      return json({
        ...shown,
        replayUntil: idempotency?.expiresAt ?? null,
        secretRevoked: secret.salt === null,
        requests: requestLog.requestsAbout(found.intent.id),
      })
    },
    revokeSecret: async ({ params: { id = '' } }) => {
      const isRevoked = await revokeSecret(db, { id, modes: ['test'] })
      if (!isRevoked) throw sandboxApiError('payment_intent_not_found')
      topics.notify('intents')
      return json({ id, secretRevoked: true })
    },
    settle: async (call) => {
      const rule = `Send {"outcome": one of ${simulatedOutcomes.join(', ')}}.`
      const { outcome } = await parseBody(call, SettleSchema, rule)
      const result = await simulateOutcome({ db, now }, call.params.id ?? '', outcome)
      if ('rejection' in result) throw sandboxApiError(result.rejection)
      topics.notify('intents')
      return json({ id: result.id, status: result.status })
    },
  } satisfies Partial<Record<RouteName, Handler>>
}

const SettleSchema = z.strictObject({ outcome: z.enum(simulatedOutcomes) })

function sandboxApiError(code: keyof typeof details): ProblemError {
  return new ProblemError(code, details[code])
}

const details = {
  payment_intent_not_found: 'No test environment has a Payment Intent with this id.',
  intent_finalized: 'The Payment Intent is final, so its outcome cannot be changed.',
  attempt_in_progress:
    'The payment is processing. Only succeeded, declined, and failed are possible.',
  version_conflict: 'The Payment Intent was changed by another request. Read it again.',
} as const
