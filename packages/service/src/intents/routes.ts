/**
 * The two operations of the merchant API.
 *
 * Checks run in this order: browser, media type and size, credentials, header syntax, JSON, fields,
 * idempotency. A body is read only after the request is authenticated.
 *
 * @module
 */
import { headers, limits, paymentIntentIdPattern, routes } from '@pi-checkout/contract'
import { checkBodyHeaders, readBody } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { ProblemError, retryLater } from '../http/problem.ts'
import type { RateLimits } from '../http/rate-limit.ts'
import { jsonHeaders, type RouteResponse } from '../http/response.ts'
import { singleHeader } from '../http/single-header.ts'
import { newIntentId, randomSalt } from '../ids.ts'
import type { Authenticator } from '../merchants/authenticate.ts'
import { type Environment, environmentNow } from '../merchants/environments.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { clientSecret } from './client-secret.ts'
import type { CreatedRecord, CreateResult, NewIntent } from './create-batch.ts'
import { idempotencyHashes, readIdempotencyKey } from './idempotency.ts'
import type { IntentStore } from './intents.ts'
import { readApiVersion, readCreate, rejectBrowser } from './parse-request.ts'
import { serializeCreated, serializeIntent } from './serialize.ts'

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

export interface ApiClient {
  readonly environment: Environment
  readonly idempotencyKey: string | undefined
  /** `Api-Version` header for the response. Empty if none was sent. */
  readonly version: Readonly<Record<string, string>>
}

export interface CreateInput {
  readonly draft: NewIntent
  readonly version: ApiClient['version']
}

/** Input of a retrieve. `id` is `undefined` if its format is invalid. */
export interface RetrieveInput {
  readonly id: string | undefined
  readonly client: ApiClient
}

export function intentRoutes({
  authenticator,
  limits: rates,
  intents,
  keys,
  now,
}: IntentRoutesOptions): {
  readonly create: Operation<CreateInput>
  readonly retrieve: Operation<RetrieveInput>
} {
  async function authenticate(call: Call): Promise<Environment> {
    singleHeader(call.request, headers.authorization)
    const environment = await authenticator.authenticate(call.request)
    call.environment = environment
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
        const idempotencyKey = readIdempotencyKey(request)
        return { environment, idempotencyKey, version: readApiVersion(request) }
      },
      parse: async ({ request }, { environment, idempotencyKey: key, version }) => {
        const body = readCreate(await readBody(request, limits.requestBytes))
        const draft: NewIntent = {
          id: newIntentId(),
          environmentId: environment.id,
          secretKid: keys.currentKid,
          secretSalt: randomSalt(16),
          body,
          createdAt: environmentNow(environment, now()),
          ...(key !== undefined && { idempotency: idempotencyHashes(environment, { key, body }) }),
        }
        return { draft, version }
      },
      handle: async (call, { draft, version }) => {
        const creation = await intents.create(draft)
        const created = createdBy(creation, draft)
        call.intentId = created.id
        call.replayed = creation.type === 'replayed'
        return {
          status: 201,
          base: jsonHeaders,
          headers: {
            location: `${routes.create.path}/${created.id}`,
            ...(call.replayed && { [headers.idempotentReplayed]: 'true' }),
            ...version,
          },
          body: JSON.stringify(serializeCreated(created, clientSecret(keys, created))),
        }
      },
    },
    retrieve: {
      access: async (call) => {
        rejectBrowser(call.request)
        const environment = await authenticate(call)
        return { environment, idempotencyKey: undefined, version: readApiVersion(call.request) }
      },
      parse: ({ params }, client) => ({
        id: paymentIntentIdPattern.test(params.id ?? '') ? params.id : undefined,
        client,
      }),
      handle: async (_call, { id, client: { environment, version } }) => {
        const found = id && (await intents.find({ environmentId: environment.id, id }))
        const at = environmentNow(environment, now())
        const intent = found && (await intents.applyDeadlines(found, at))
        if (!intent) {
          throw new ProblemError(
            'payment_intent_not_found',
            "No Payment Intent in the API key's environment has this id.",
          )
        }
        const body = JSON.stringify(serializeIntent(intent))
        return { status: 200, base: jsonHeaders, headers: version, body }
      },
    },
  }
}

function createdBy(creation: CreateResult, draft: NewIntent): CreatedRecord {
  switch (creation.type) {
    case 'created':
      return draft
    case 'replayed':
      return creation.created
    case 'reused':
      throw new ProblemError(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another body. Use a new key for a new request.',
      )
    case 'in_use':
      throw idempotencyKeyInUse()
  }
}

/** Returns the problem of a key whose first request has not ended. */
export function idempotencyKeyInUse(): ProblemError {
  return retryLater(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running. Send the same request again.',
  )
}
