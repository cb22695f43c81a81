/**
 * The two operations of the specification, as bare handlers: Express costs several times what they do.
 *
 * Checks run in a fixed order: routing, browser, media type and size, credentials, header syntax,
 * JSON, fields, idempotency. No byte of a body is read before the key is known.
 *
 * @module
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  apiVersions,
  CreatePaymentIntent,
  fieldErrors,
  headers,
  limits,
  paymentIntentIdPattern,
  routes,
} from '@pi-checkout/contract'
import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import { keepFacts } from '../http/answer-facts.ts'
import type { Authenticator } from '../http/authenticate.ts'
import { checkBodyHeaders, readBody } from '../http/body.ts'
import { jsonHeaders } from '../http/headers.ts'
import { readJson } from '../http/json.ts'
import { onlyHeader } from '../http/only-header.ts'
import { ProblemError, sendProblem } from '../http/problem.ts'
import type { RateLimits } from '../http/rate-limit.ts'
import { requestId } from '../http/request-id.ts'
import { randomBase62, randomSalt } from '../identifiers.ts'
import { type Environment, timeOf } from '../merchants/environments.ts'
import type { Fault, FaultOperation, FaultRules } from '../sandbox/faults.ts'
import { type HeldKeys, heldKeys } from '../sandbox/held-keys.ts'
import { Dropped, endWith, failBefore } from '../sandbox/inject.ts'
import { creationAnswer, intentAnswer } from './answer.ts'
import { clientSecret } from './client-secret.ts'
import { type Created, type Creation, creations, type Draft } from './creation.ts'
import { idempotencyHashes, readIdempotencyKey } from './idempotency.ts'
import { retrievals } from './retrieval.ts'
import { type IntentKey, type RetrievedIntent, settleDue } from './store.ts'

/** What the operations need besides the context. */
export interface IntentRouteParts {
  readonly authenticator: Authenticator
  readonly faults: FaultRules
  readonly limits: RateLimits
  readonly intents: IntentStore
}

/** Where the two operations keep their intents. */
export interface IntentStore {
  readonly create: (draft: Draft) => Promise<Creation>
  /** Reads without applying deadlines; `undefined` for unknown and foreign alike. */
  readonly find: (key: IntentKey) => Promise<RetrievedIntent | undefined>
  /** Applies the deadlines that have passed. */
  readonly settle: (intent: RetrievedIntent, now: Date) => Promise<RetrievedIntent | undefined>
}

/** Keeps them in the database, many requests in one statement. One per instance. */
export function intentStore(db: Database): IntentStore {
  return {
    create: creations(db),
    find: retrievals(db),
    settle: async (intent, now) => await settleDue(db, intent, now),
  }
}

/** Tells whether a path belongs to the two operations. */
export function isIntentPath(url: string): boolean {
  return url.startsWith(collection) && /^(?:$|[/?])/.test(url.slice(collection.length))
}

/** Returns the handler of both operations. */
export function intentRoutes(context: Context, parts: IntentRouteParts): RequestListener {
  const create = createOperation(context, parts)
  const retrieve = retrieveOperation(context, parts)
  return (request, response) => {
    route(request, { create, retrieve })(request, response).catch((error: unknown) => {
      if (error instanceof Dropped) request.socket.destroy()
      else sendProblem(request, response, { error, log: context.log })
    })
  }
}

type Operation = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const collection = routes.create.path

function route(
  { method, url = '' }: IncomingMessage,
  { create, retrieve }: { readonly create: Operation; readonly retrieve: Operation },
): Operation {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  if (path === collection) {
    return method === routes.create.method ? create : refuse(notAllowed(routes.create.method))
  }
  const id = path.slice(collection.length + 1)
  if (id === '' || id.includes('/')) {
    return refuse(new ProblemError('not_found', 'There is nothing at this address; see /docs.'))
  }
  return method === 'GET' || method === 'HEAD' ? retrieve : refuse(notAllowed('GET, HEAD'))
}

function refuse(problem: ProblemError): Operation {
  return async () => {
    throw problem
  }
}

function notAllowed(allow: string): ProblemError {
  return new ProblemError('method_not_allowed', `Only ${allow} is allowed here.`, {
    headers: { allow },
  })
}

function createOperation(
  context: Context,
  { authenticator, faults, limits: rates, intents }: IntentRouteParts,
): Operation {
  const held = heldKeys()
  return async (request, response) => {
    refuseBrowser(request)
    checkBodyHeaders(request, limits.requestBytes)
    onlyHeader(request, headers.authorization)
    const environment = await authenticator.authenticate(request)
    rates.request(environment)
    const key = readIdempotencyKey(request)
    const version = readApiVersion(request)
    const planned = plannedFaults(request, { faults, environment, operation: 'create' })
    const body = readCreate(await readBody(request, limits.requestBytes))
    const draft = draftOf(context, { environment, key, body })

    await failBefore(planned)
    const creation = await unlessHeld(held, { draft, planned, work: () => intents.create(draft) })
    const created = createdBy(creation, draft)
    const answer = creationAnswer(created, clientSecret(context.keys, created))
    keepFacts(response, { intentId: created.id, replayed: creation.type === 'replayed' })
    send(request, response, {
      status: 201,
      body: JSON.stringify(answer),
      headers: {
        location: `${collection}/${created.id}`,
        ...(creation.type === 'replayed' && { [headers.idempotentReplayed]: 'true' }),
        ...version,
      },
      planned,
    })
  }
}

function retrieveOperation(
  context: Context,
  { authenticator, faults, limits: rates, intents }: IntentRouteParts,
): Operation {
  return async (request, response) => {
    refuseBrowser(request)
    onlyHeader(request, headers.authorization)
    const environment = await authenticator.authenticate(request)
    rates.request(environment)
    const version = readApiVersion(request)
    const planned = plannedFaults(request, { faults, environment, operation: 'retrieve' })
    await failBefore(planned)
    const id = idOf(request.url ?? '')
    const found = id && (await intents.find({ environmentId: environment.id, id }))
    const now = timeOf(environment, context.now())
    const intent = found && (await intents.settle(found, now))
    if (!intent) {
      throw new ProblemError(
        'payment_intent_not_found',
        'There is no Payment Intent with this id in the environment of this key.',
      )
    }
    send(request, response, {
      status: 200,
      body: JSON.stringify(intentAnswer(intent)),
      headers: version,
      planned,
    })
  }
}

/** A secret key has no business in a browser, and these headers come from nowhere else. */
function refuseBrowser({ headers: sent }: IncomingMessage): void {
  if (sent.origin === undefined && sent['sec-fetch-site'] === undefined) return
  throw new ProblemError(
    'secret_key_in_browser',
    "Secret API keys are for the merchant's server only; call this from there, and give the page id and clientSecret.",
  )
}

function readApiVersion(request: IncomingMessage): Readonly<Record<string, string>> {
  const version = onlyHeader(request, headers.apiVersion)
  if (version === undefined) return {}
  if ((apiVersions as readonly string[]).includes(version)) return { [headers.apiVersion]: version }
  throw new ProblemError(
    'unsupported_api_version',
    `Api-Version must be ${apiVersions.join(' or ')}; leave it out for the newest.`,
  )
}

function readCreate(bytes: Buffer): CreatePaymentIntent {
  const input = readJson(bytes)
  const result = CreatePaymentIntent.safeParse(input)
  if (result.success) return result.data
  const errors = fieldErrors(result.error, input)
  const detail = errors.map((error) => error.detail).join('; ')
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ProblemError('invalid_body', `${detail}.`, { errors })
  }
  const unknown = errors.some(({ code }) => code === 'unknown_parameter')
  throw new ProblemError(unknown ? 'unknown_parameter' : 'validation_failed', `${detail}.`, {
    errors,
  })
}

function draftOf(
  { keys, now }: Context,
  {
    environment,
    key,
    body,
  }: {
    readonly environment: Environment
    readonly key: string | undefined
    readonly body: CreatePaymentIntent
  },
): Draft {
  return {
    id: `pi_${randomBase62(24)}`,
    environmentId: environment.id,
    secretKid: keys.currentKid,
    secretSalt: randomSalt(16),
    body,
    createdAt: timeOf(environment, now()),
    ...(key !== undefined && { idempotency: idempotencyHashes(environment, { key, body }) }),
  }
}

/** Where a fault holds the key, its duplicates wait here; otherwise they wait in the store. */
async function unlessHeld(
  held: HeldKeys,
  {
    draft,
    planned,
    work,
  }: {
    readonly draft: Draft
    readonly planned: readonly Fault[]
    readonly work: () => Promise<Creation>
  },
): Promise<Creation> {
  if (!draft.idempotency) return await work()
  const key = `${draft.environmentId} ${draft.idempotency.hash.toString('latin1')}`
  for (const fault of planned) {
    if (fault.type === 'hold-key') return await held.hold(key, fault.ms, work)
  }
  return (await held.free(key)) ? await work() : { type: 'in_use' }
}

function createdBy(creation: Creation, draft: Draft): Created {
  switch (creation.type) {
    case 'created':
      return draft
    case 'replayed':
      return creation.created
    case 'reused':
      throw new ProblemError(
        'idempotency_key_reused',
        'This Idempotency-Key was used with another body; use a new key for a new request.',
      )
    case 'in_use':
      throw new ProblemError(
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key is still running; send the same request again.',
        { headers: { 'retry-after': '1' } },
      )
  }
}

function idOf(url: string): string | undefined {
  const [path = ''] = url.split('?', 1)
  const id = path.slice(collection.length + 1)
  return paymentIntentIdPattern.test(id) ? id : undefined
}

function plannedFaults(
  request: IncomingMessage,
  {
    faults,
    environment,
    operation,
  }: {
    readonly faults: FaultRules
    readonly environment: Environment
    readonly operation: FaultOperation
  },
): readonly Fault[] {
  // A live environment has no sandbox: neither header nor rule reaches it.
  if (environment.mode === 'live') return []
  return faults.take(operation, onlyHeader(request, headers.sandboxFault))
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  {
    status,
    body,
    headers: more,
    planned,
  }: {
    readonly status: number
    readonly body: string
    readonly headers: Readonly<Record<string, string>>
    readonly planned: readonly Fault[]
  },
): void {
  // Nothing is set before: a head that begins with a set header is slower by a fifth of the request.
  const all = {
    ...jsonHeaders,
    'content-length': Buffer.byteLength(body),
    [headers.requestId]: requestId(response),
    ...more,
  }
  if (request.method === 'HEAD') response.writeHead(status, all).end()
  else endWith(response, planned, { status, headers: all, body })
}
