/**
 * The service's two operations in memory: validation, scoping and idempotency as the real one has them.
 *
 * `test/contract.test.ts` holds both to the same cases, so that this copy cannot drift.
 *
 * @module
 */
import { CreatePaymentIntentSchema, fieldErrors } from '@pi-checkout/contract'
import type {
  CreatedPaymentIntent,
  CreatePaymentIntent,
} from '@pi-checkout/contract/payment-intent'
import {
  type FieldError,
  type ProblemCode,
  problemCodes,
  problemMediaType,
} from '@pi-checkout/contract/problem'
import { headers, routes } from '@pi-checkout/contract/routes'
import { limits, paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import canonicalize from 'canonicalize'

/** An intent and its secret, as this service keeps it. */
export type FakeIntent = CreatedPaymentIntent

/** What the operations share. */
export interface FakeStore {
  readonly apiKey: string
  readonly clock: () => number
  readonly intents: Map<string, FakeIntent>
  /** By idempotency key: the body's fingerprint and the answer as it was. */
  readonly created: Map<string, { readonly fingerprint: string; readonly snapshot: string }>
}

/** Answers one request as the service would. */
export async function operate(request: Request, store: FakeStore): Promise<Response> {
  const { pathname } = new URL(request.url)
  const { path, method } = routes.create
  if (pathname === path) {
    return request.method === method ? create(request, store) : notAllowed(method)
  }
  const id = pathname.startsWith(`${path}/`) ? pathname.slice(path.length + 1) : ''
  if (id === '' || id.includes('/')) return problem('not_found')
  if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed('GET, HEAD')
  return retrieve(request, { id, store })
}

/** The answer of a problem, as the service words it on the wire. */
export function problem(
  code: ProblemCode,
  more: {
    readonly errors?: readonly FieldError[]
    readonly errorsOmitted?: number
    readonly headers?: Record<string, string>
  } = {},
): Response {
  const { status, title, retryable } = problemCodes[code]
  const requestId = newId('req_')
  const { errors = [], errorsOmitted = 0 } = more
  const body = { type: `/docs#${code}`, title, status, detail: title, code, requestId, retryable }
  return new Response(
    JSON.stringify({ ...body, errors, ...(errorsOmitted > 0 && { errorsOmitted }) }),
    {
      status,
      headers: { ...common(requestId), 'content-type': problemMediaType, ...more.headers },
    },
  )
}

/** Headers of every answer. */
export function common(requestId = newId('req_')): Record<string, string> {
  return {
    [headers.requestId]: requestId,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  }
}

/** A random identifier of 24 letters and digits. */
export function newId(prefix: string): string {
  const chance = crypto.getRandomValues(new Uint8Array(24))
  return prefix + Array.from(chance, (byte) => base62.charAt(byte % 62)).join('')
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

async function create(request: Request, store: FakeStore): Promise<Response> {
  const refused =
    refuseBrowser(request) ?? refuseMedia(request) ?? refuseStranger(request, store.apiKey)
  if (refused) return refused
  const key = request.headers.get(headers.idempotencyKey)
  if (key !== null && (!/^[!-~]+$/.test(key) || key.length > limits.idempotencyKey)) {
    return problem('invalid_idempotency_key')
  }
  const text = await request.text()
  if (new TextEncoder().encode(text).length > limits.requestBytes) {
    return problem('payload_too_large')
  }
  const read = readCreate(text)
  if (read instanceof Response) return read
  const fingerprint = canonicalize(read) ?? ''
  const known = key === null ? undefined : store.created.get(key)
  if (known && known.fingerprint !== fingerprint) return problem('idempotency_key_reused')
  const snapshot = known?.snapshot ?? JSON.stringify(insert(read, store))
  if (key !== null && !known) store.created.set(key, { fingerprint, snapshot })
  const { id } = JSON.parse(snapshot) as FakeIntent // Written by `insert` above.
  return new Response(snapshot, {
    status: 201,
    headers: {
      ...common(),
      location: `${routes.create.path}/${id}`,
      ...(known ? { [headers.idempotentReplayed]: 'true' } : {}),
    },
  })
}

function retrieve(
  request: Request,
  { id, store }: { readonly id: string; readonly store: FakeStore },
): Response {
  const refused = refuseBrowser(request) ?? refuseStranger(request, store.apiKey)
  if (refused) return refused
  const intent = paymentIntentIdPattern.test(id) ? store.intents.get(id) : undefined
  if (!intent) return problem('payment_intent_not_found')
  const { clientSecret: _, ...shown } = intent
  return new Response(JSON.stringify(shown), { status: 200, headers: common() })
}

function insert(body: CreatePaymentIntent, { intents, clock }: FakeStore): FakeIntent {
  const id = newId('pi_')
  const at = new Date(clock()).toISOString()
  const intent: FakeIntent = {
    id,
    amount: body.amount,
    currency: body.currency,
    orderId: body.orderId,
    clientSecret: newId(`${id}_secret_`),
    customer: body.customer ? { ...body.customer } : null,
    metadata: body.metadata ?? null,
    status: 'requires_payment_method',
    paymentMethod: null,
    lastPaymentFailure: null,
    nextAction: null,
    providerPaymentId: null,
    createdAt: at,
    updatedAt: at,
  }
  intents.set(id, intent)
  return intent
}

function readCreate(text: string): CreatePaymentIntent | Response {
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    return problem('malformed_json')
  }
  const read = CreatePaymentIntentSchema.safeParse(input)
  if (read.success) return read.data
  const { errors, errorsOmitted } = fieldErrors(read.error, input)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return problem('invalid_body', { errors, errorsOmitted })
  }
  const unknown = errors.some(({ code }) => code === 'unknown_parameter')
  return problem(unknown ? 'unknown_parameter' : 'validation_failed', {
    errors,
    errorsOmitted,
  })
}

function refuseBrowser({ headers: sent }: Request): Response | undefined {
  return sent.has('origin') || sent.has('sec-fetch-site')
    ? problem('secret_key_in_browser')
    : undefined
}

function refuseMedia({ headers: sent }: Request): Response | undefined {
  const type = sent.get('content-type') ?? ''
  const [media = '', ...parameters] = type.toLowerCase().split(';')
  const isJson = media.trim() === 'application/json'
  return isJson && parameters.every((each) => /^(?:charset="?utf-8"?)?$/.test(each.trim()))
    ? undefined
    : problem('unsupported_media_type')
}

function refuseStranger({ headers: sent }: Request, apiKey: string): Response | undefined {
  const challenge = { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
  const credentials = sent.get(headers.authorization)
  if (credentials === null)
    return problem('missing_credentials', { headers: { 'www-authenticate': 'Bearer' } })
  const [, token] = /^Bearer +([!-~]{1,512})$/i.exec(credentials) ?? []
  return token === apiKey ? undefined : problem('invalid_credentials', challenge)
}

function notAllowed(allow: string): Response {
  return problem('method_not_allowed', { headers: { allow } })
}
