/** The two operations of the merchant API. A body is read only after the request is authenticated. @module */
import { CreatePaymentIntentSchema, headers, routes } from '@pi-checkout/contract'
import type { FastifyRequest } from 'fastify'
import type { App, OperationHooks } from '../http/app.ts'
import { ProblemError } from '../http/problem.ts'
import { json } from '../http/send.ts'
import { intentIdPattern } from '../ids.ts'
import { rejectBrowser } from '../merchants/authenticate.ts'
import { environmentNow } from '../merchants/environments.ts'
import type { AppOptions } from '../options.ts'
import { clientSecret } from './client-secret.ts'
import { dueAt } from './deadlines.ts'
import { idempotencyHashes, readIdempotencyKey } from './idempotency.ts'
import { draftIntent } from './store.ts'
import { createdView, merchantView } from './views.ts'

/** @param hooksOf - Returns the sandbox's faults for an operation. */
export function addIntentRoutes(
  app: App,
  { authenticator, limits, intents, keys, now }: AppOptions,
  hooksOf: (operation: 'create' | 'retrieve') => OperationHooks,
): void {
  app.decorateRequest('environment', null as never)

  async function authenticate(request: FastifyRequest): Promise<void> {
    rejectBrowser(request)
    const environment = await authenticator.authenticate(request)
    request.facts.environment = environment
    request.environment = environment
    limits.request(environment)
  }

  const onCreate = hooksOf('create')
  app.post(
    routes.create.path,
    {
      schema: { body: CreatePaymentIntentSchema },
      onRequest: authenticate,
      // A request that is rejected uses up no fault.
      preHandler: [async (request) => void readIdempotencyKey(request), onCreate.before],
      onSend: onCreate.after,
    },
    async (request, reply) => {
      const { body, facts, environment } = request
      const environmentId = environment.id
      const createdAt = environmentNow(environment, now())
      const key = readIdempotencyKey(request)
      const { type, intent } = await intents.create({
        intent: draftIntent({ environmentId, body, createdAt }),
        key: key === undefined ? undefined : idempotencyHashes(keys, { environmentId, key, body }),
      })
      facts.intent = intent
      facts.replayed = type === 'replayed'
      reply.header('location', `${routes.create.path}/${intent.id}`)
      if (facts.replayed) reply.header(headers.idempotentReplayed, 'true')
      return json(reply, createdView(intent, clientSecret(keys, intent)), 201)
    },
  )

  const onRetrieve = hooksOf('retrieve')
  app.get(
    routes.retrieve.path,
    {
      onRequest: authenticate,
      preHandler: onRetrieve.before,
      onSend: onRetrieve.after,
    },
    async (request, reply) => {
      const { facts, environment } = request
      const { id } = request.params as { readonly id: string } // The path has it.
      const found = intentIdPattern.test(id) ? await intents.find(id) : undefined
      if (!found || found.environmentId !== environment.id) throw notFound()
      facts.intent = found
      const due = dueAt(found)
      const isDue = due && due <= environmentNow(environment, now())
      const current = isDue ? (await intents.load(found.id))?.intent : found
      if (!current) throw notFound()
      return json(reply, merchantView(current))
    },
  )
}

function notFound(): ProblemError {
  return new ProblemError(
    'payment_intent_not_found',
    "No Payment Intent in the API key's environment has this id.",
  )
}
