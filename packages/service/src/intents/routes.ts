/** The two operations of the merchant API. A body is read only after the request is authenticated. @module */
import { headers, limits, routes } from '@pi-checkout/contract'
import { checkBodyHeaders, readBody } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { ProblemError, retryLater } from '../http/problem.ts'
import type { RateLimits } from '../http/rate-limit.ts'
import { jsonHeaders, type RouteResponse } from '../http/response.ts'
import { singleHeader } from '../http/single-header.ts'
import { intentIdPattern } from '../ids.ts'
import { type Authenticator, rejectBrowser, unknownKey } from '../merchants/authenticate.ts'
import { type Environment, environmentNow } from '../merchants/environments.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { clientSecret } from './client-secret.ts'
import { type Created, type Draft, draftIntent } from './create.ts'
import { dueAt } from './deadlines.ts'
import { idempotencyHashes, readIdempotencyKey } from './idempotency.ts'
import type { Intent } from './intent.ts'
import { readCreate } from './read-create.ts'
import { type IntentStore, load } from './store.ts'
import { createdView, merchantView } from './views.ts'

export interface IntentRoutesOptions {
  readonly authenticator: Authenticator
  readonly limits: Pick<RateLimits, 'request'>
  readonly intents: IntentStore
  readonly keys: SecretKeys
  readonly now: () => Date
}

/** An operation in three steps, so that faults can be injected between them. */
export interface Operation<Input> {
  readonly access: (call: Call) => Promise<ApiClient>
  readonly parse: (call: Call, client: ApiClient) => Promise<Input> | Input
  readonly handle: (call: Call, input: Input) => Promise<RouteResponse>
}

interface ApiClient {
  readonly environment: Environment
  readonly idempotencyKey: string | undefined
}

export function intentRoutes({
  authenticator,
  limits: rates,
  intents,
  keys,
  now,
}: IntentRoutesOptions): {
  readonly create: Operation<Draft>
  /** `id` is `undefined` if its format is invalid. */
  readonly retrieve: Operation<Pick<ApiClient, 'environment'> & { readonly id: string | undefined }>
} {
  async function authenticate(call: Call): Promise<Environment> {
    singleHeader(call.request, headers.authorization)
    const environment = await authenticator.authenticate(call.request)
    call.environment = environment
    call.isKnown = true
    rates.request(environment)
    return environment
  }

  return {
    create: {
      access: async (call) => {
        const { request } = call
        rejectBrowser(request)
        checkBodyHeaders(request, limits.requestBytes)
        const environment = await authenticate(call)
        return { environment, idempotencyKey: readIdempotencyKey(request) }
      },
      parse: async ({ request }, { environment, idempotencyKey: key }) => {
        const body = readCreate(await readBody(request, limits.requestBytes))
        const intent = draftIntent({
          environmentId: environment.id,
          body,
          createdAt: environmentNow(environment, now()),
        })
        if (key === undefined) return { intent }
        return { intent, key: idempotencyHashes(environment, { key, body }) }
      },
      handle: async (call, draft) => {
        const created = await intents.create(draft)
        const intent = intentOf(created)
        call.intentId = intent.id
        call.replayed = created.type === 'replayed'
        return {
          status: 201,
          base: jsonHeaders,
          headers: {
            location: `${routes.create.path}/${intent.id}`,
            ...(call.replayed && { [headers.idempotentReplayed]: 'true' }),
          },
          body: JSON.stringify(createdView(intent, clientSecret(keys, intent))),
        }
      },
    },
    retrieve: {
      access: async (call) => {
        rejectBrowser(call.request)
        return { environment: await authenticate(call), idempotencyKey: undefined }
      },
      parse: ({ params }, { environment }) => ({
        id: intentIdPattern.test(params.id ?? '') ? params.id : undefined,
        environment,
      }),
      handle: async (call, { id, environment }) => {
        const found = id && (await intents.find(id))
        if (!found || found.environmentId !== environment.id) throw notFound()
        call.intentId = found.id
        const due = dueAt(found)
        const isDue = due && due <= environmentNow(environment, now())
        const current = isDue ? (await load(intents, found.id))?.intent : found
        if (!current) throw notFound()
        const body = JSON.stringify(merchantView(current))
        return { status: 200, base: jsonHeaders, body }
      },
    },
  }
}

function intentOf(created: Created): Intent {
  switch (created.type) {
    case 'created':
    case 'replayed':
      return created.intent
    case 'reused':
      throw new ProblemError(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another body. Use a new key for a new request.',
      )
    case 'in_use':
      throw idempotencyKeyInUse()
    case 'no_environment':
      throw unknownKey()
  }
}

function notFound(): ProblemError {
  return new ProblemError(
    'payment_intent_not_found',
    "No Payment Intent in the API key's environment has this id.",
  )
}

/** Returns the problem of a key whose first request has not ended. */
export function idempotencyKeyInUse(): ProblemError {
  return retryLater(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running. Send the same request again.',
  )
}
