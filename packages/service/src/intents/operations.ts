/**
 * The two operations of the specification, framework-free: Express costs several times what they do.
 *
 * Checks run in a fixed order: browser, media type and size, credentials, header syntax, JSON, fields,
 * idempotency. No byte of a body is read before the key is known.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CreatePaymentIntent, headers, limits } from '@pi-checkout/contract'
import type { Fault, FaultOperation } from '../../shared/sandbox-api.ts'
import type { Context } from '../context.ts'
import { keepFacts } from '../http/answer-facts.ts'
import type { Authenticator } from '../http/authenticate.ts'
import { checkBodyHeaders, readBody } from '../http/body.ts'
import { jsonHeaders } from '../http/headers.ts'
import { onlyHeader } from '../http/only-header.ts'
import { ProblemError } from '../http/problem.ts'
import type { RateLimits } from '../http/rate-limit.ts'
import { requestId } from '../http/request-id.ts'
import { randomBase62, randomSalt } from '../identifiers.ts'
import { type Environment, timeOf } from '../merchants/environments.ts'
import { type FaultRules, readFaults } from '../sandbox/faults.ts'
import { type HeldKeys, heldKeys } from '../sandbox/held-keys.ts'
import { endWith, failBefore } from '../sandbox/inject.ts'
import { creationAnswer, intentAnswer } from './answer.ts'
import { clientSecret } from './client-secret.ts'
import type { Created, Creation, Draft } from './creation.ts'
import { idempotencyHashes, readIdempotencyKey } from './idempotency.ts'
import type { IntentStore } from './intent-store.ts'
import { collection, idOf, readApiVersion, readCreate, refuseBrowser } from './request.ts'

/** What the operations need besides the context. */
export interface OperationParts {
  readonly authenticator: Authenticator
  readonly faults: FaultRules
  readonly limits: RateLimits
  readonly intents: IntentStore
}

/** Answers one request, or throws the problem that it is. */
export type Operation = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Returns the create. */
export function createOperation(
  context: Context,
  { authenticator, faults, limits: rates, intents }: OperationParts,
): Operation {
  const held = heldKeys()
  return async (request, response) => {
    refuseBrowser(request)
    checkBodyHeaders(request, limits.requestBytes)
    onlyHeader(request, headers.authorization)
    const environment = await authenticator.authenticate(request)
    keepFacts(response, { environment })
    rates.request(environment)
    const key = readIdempotencyKey(request)
    const version = readApiVersion(request)
    const asked = askedFaults(request, environment)
    const body = readCreate(await readBody(request, limits.requestBytes))
    const draft = draftOf(context, { environment, key, body })

    const planned = withRules(asked, { faults, environment, operation: 'create' })
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

/** Returns the retrieve. */
export function retrieveOperation(
  context: Context,
  { authenticator, faults, limits: rates, intents }: OperationParts,
): Operation {
  return async (request, response) => {
    refuseBrowser(request)
    onlyHeader(request, headers.authorization)
    const environment = await authenticator.authenticate(request)
    keepFacts(response, { environment })
    rates.request(environment)
    const version = readApiVersion(request)
    const asked = askedFaults(request, environment)
    const planned = withRules(asked, { faults, environment, operation: 'retrieve' })
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
  const key = `${draft.environmentId} ${draft.idempotency.hash}`
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

/** A live environment has no sandbox: neither header nor rule reaches it. */
function askedFaults(request: IncomingMessage, { mode }: Environment): readonly Fault[] {
  return mode === 'live' ? [] : readFaults(onlyHeader(request, headers.sandboxFault))
}

/** Adds the rule that waits for such a request: a request that was refused has not used it up. */
function withRules(
  asked: readonly Fault[],
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
  return environment.mode === 'live' ? asked : [...asked, ...faults.take(environment.id, operation)]
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
