/**
 * The service's two operations in memory, with its validation, authentication, and idempotency.
 *
 * `test/testing/service-parity.test.ts` runs the same cases against the real service.
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
import { apiVersions, limits, paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import canonicalize from 'canonicalize'

/** State of a fake service. */
export interface FakeStore {
  readonly apiKey: string
  readonly clock: () => number
  readonly intents: Map<string, CreatedPaymentIntent>
  /** Fingerprint of the body and the response, by idempotency key. */
  readonly created: Map<string, { readonly fingerprint: string; readonly snapshot: string }>
}

/** Returns the response of the service to one request. */
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

/** Returns an error response. */
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

/** Returns the headers of every response. */
function common(requestId = newId('req_')): Record<string, string> {
  return {
    [headers.requestId]: requestId,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  }
}

/** Returns a prefix with 24 random letters and digits. */
export function newId(prefix: string): string {
  const random = crypto.getRandomValues(new Uint8Array(24))
  return prefix + Array.from(random, (byte) => base62.charAt(byte % 62)).join('')
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

async function create(request: Request, store: FakeStore): Promise<Response> {
  const rejection =
    rejectBrowser(request) ??
    rejectMediaType(request) ??
    rejectCredentials(request, store.apiKey) ??
    rejectVersion(request)
  if (rejection) return rejection
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
  const existing = store.created.get(key ?? '')
  if (existing && existing.fingerprint !== fingerprint) return problem('idempotency_key_reused')
  const snapshot = existing?.snapshot ?? JSON.stringify(insert(read, store))
  if (key !== null) store.created.set(key, { fingerprint, snapshot })
  const { id } = JSON.parse(snapshot) as CreatedPaymentIntent // Written by `insert` above.
  return new Response(snapshot, {
    status: 201,
    headers: {
      ...common(),
      location: `${routes.create.path}/${id}`,
      ...(existing ? { [headers.idempotentReplayed]: 'true' } : {}),
    },
  })
}

function retrieve(
  request: Request,
  { id, store }: { readonly id: string; readonly store: FakeStore },
): Response {
  const rejection =
    rejectBrowser(request) ?? rejectCredentials(request, store.apiKey) ?? rejectVersion(request)
  if (rejection) return rejection
  const intent = paymentIntentIdPattern.test(id) ? store.intents.get(id) : undefined
  if (!intent) return problem('payment_intent_not_found')
  const { clientSecret: _, ...visible } = intent
  return new Response(JSON.stringify(visible), { status: 200, headers: common() })
}

function insert(body: CreatePaymentIntent, { intents, clock }: FakeStore): CreatedPaymentIntent {
  const id = newId('pi_')
  const at = new Date(clock()).toISOString()
  const intent: CreatedPaymentIntent = {
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

function rejectBrowser({ headers: sent }: Request): Response | undefined {
  return sent.has('origin') || sent.has('sec-fetch-site')
    ? problem('secret_key_in_browser')
    : undefined
}

function rejectMediaType({ headers: sent }: Request): Response | undefined {
  const type = sent.get('content-type') ?? ''
  const [media = '', ...parameters] = type.toLowerCase().split(';')
  const isJson = media.trim() === 'application/json'
  return isJson && parameters.every((each) => /^(?:charset="?utf-8"?)?$/.test(each.trim()))
    ? undefined
    : problem('unsupported_media_type')
}

function rejectCredentials({ headers: sent }: Request, apiKey: string): Response | undefined {
  const challenge = { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
  const credentials = sent.get(headers.authorization)
  if (credentials === null)
    return problem('missing_credentials', { headers: { 'www-authenticate': 'Bearer' } })
  const [, token] = /^Bearer +([!-~]{1,512})$/i.exec(credentials) ?? []
  return token === apiKey ? undefined : problem('invalid_credentials', challenge)
}

function rejectVersion({ headers: sent }: Request): Response | undefined {
  const version = sent.get(headers.apiVersion)
  const isKnown = version === null || (apiVersions as readonly string[]).includes(version)
  return isKnown ? undefined : problem('unsupported_api_version')
}

function notAllowed(allow: string): Response {
  return problem('method_not_allowed', { headers: { allow } })
}
