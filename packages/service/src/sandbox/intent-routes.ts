/**
 * The intents of test environments over HTTP: each with its timeline, and the way to an outcome.
 *
 * @module
 */
import { Router } from 'express'
import { type ShownIntent, simulatedOutcomes } from '../../shared/sandbox-api.ts'
import type { Context } from '../context.ts'
import { only } from '../http/method-not-allowed.ts'
import { ProblemError } from '../http/problem.ts'
import { revokeSecret } from '../intents/store.ts'
import { read } from './read.ts'
import type { Sandbox } from './sandbox.ts'
import { Settle, settle } from './settle.ts'
import { sandboxIntent } from './stored.ts'

/** Returns the routes of `/intents`. */
export function intentRoutes(context: Context, { changes, journal }: Sandbox): Router {
  const router = Router({ caseSensitive: true, strict: true })

  router.get('/intents/:id', async (request, response) => {
    const found = await sandboxIntent(context, request.params.id)
    if (!found) throw refused('payment_intent_not_found')
    const { secret, idempotency, ...shown } = found
    const body: ShownIntent = {
      ...shown,
      replayUntil: idempotency?.expiresAt ?? null,
      secretRevoked: secret.salt === null,
      requests: journal.exchangesAbout(found.intent.id),
    }
    response.json(body)
  })

  router.post('/intents/:id/revoke-secret', async (request, response) => {
    const { id } = request.params
    const isRevoked = await revokeSecret(context.db, { id, modes: ['test'] })
    if (!isRevoked) throw refused('payment_intent_not_found')
    changes.announce('intents')
    response.json({ id, secretRevoked: true })
  })

  router.post('/intents/:id/settle', async (request, response) => {
    const { outcome } = await read(
      request,
      Settle,
      `Send {"outcome": one of ${simulatedOutcomes.join(', ')}}.`,
    )
    const settled = await settle(context, request.params.id, outcome)
    if ('refusal' in settled) throw refused(settled.refusal)
    changes.announce('intents')
    response.json({ id: settled.id, status: settled.status })
  })
  router.all('/intents/:id', only('GET, HEAD'))
  router.all('/intents/:id/revoke-secret', only('POST'))
  router.all('/intents/:id/settle', only('POST'))
  return router
}

function refused(code: keyof typeof refusals): ProblemError {
  return new ProblemError(code, refusals[code])
}

const refusals = {
  payment_intent_not_found: 'No test environment has a Payment Intent with this id.',
  intent_finalized: 'The Payment Intent is final; nothing changes it any more.',
  attempt_in_progress: 'The payment is processing: only succeeded, declined and failed lead on.',
  version_conflict: 'The Payment Intent has moved on; read it again.',
} as const
