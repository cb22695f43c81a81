/**
 * The service's two operations in memory. The client validates what it sends, so this does not.
 *
 * `test/testing/fake-service.test.ts` runs the same cases against the real service.
 *
 * @module
 */
import type {
  CreatedPaymentIntent,
  CreatePaymentIntent,
} from '@pi-checkout/contract/payment-intent'
import { ownProfileName } from '@pi-checkout/contract/payment-status'
import { type ProblemCode, problemCodes, problemMediaType } from '@pi-checkout/contract/problem'
import { headers, routes } from '@pi-checkout/contract/routes'

export interface FakeStore {
  readonly apiKey: string
  readonly intents: Map<string, CreatedPaymentIntent>
  /** Response of each create, by idempotency key. The client derives the key from the body. */
  readonly created: Map<string, string>
}

export async function operate(request: Request, store: FakeStore): Promise<Response> {
  const { path } = routes.create
  if (request.headers.get(headers.authorization) !== `Bearer ${store.apiKey}`) {
    return problem('invalid_credentials')
  }
  const { pathname } = new URL(request.url)
  if (pathname === path) return create(request, store)
  return pathname.startsWith(`${path}/`)
    ? retrieve(pathname.slice(path.length + 1), store)
    : problem('not_found')
}

export function problem(code: ProblemCode): Response {
  const { status, title, retryable } = problemCodes[code]
  const headers = { ...newHeaders(), 'content-type': problemMediaType }
  return Response.json({ title, status, code, retryable }, { status, headers })
}

function newHeaders(): Record<string, string> {
  return {
    [headers.requestId]: newId('req_'),
    [headers.profile]: ownProfileName,
    'content-type': 'application/json',
  }
}

/** Returns a prefix with 24 random letters and digits, or as many as given, up to 64. */
export function newId(prefix: string, length = 24): string {
  const random = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '')
  return prefix + random.slice(0, length)
}

async function create(request: Request, store: FakeStore): Promise<Response> {
  const key = request.headers.get(headers.idempotencyKey) ?? ''
  const existing = store.created.get(key)
  // The client validates and normalizes what it sends.
  const snapshot = existing ?? JSON.stringify(insert(JSON.parse(await request.text()), store))
  store.created.set(key, snapshot)
  const response = new Response(snapshot, { status: 201, headers: newHeaders() })
  if (existing) response.headers.set(headers.idempotentReplayed, 'true')
  return response
}

function retrieve(id: string, { intents }: FakeStore): Response {
  const intent = intents.get(id)
  if (!intent) return problem('payment_intent_not_found')
  const { clientSecret: _, ...visible } = intent
  return Response.json(visible, { headers: newHeaders() })
}

function insert(body: CreatePaymentIntent, { intents }: FakeStore): CreatedPaymentIntent {
  const intent = newIntent(body)
  intents.set(intent.id, intent)
  return intent
}

/** Returns an intent as the service returns it to a create. */
export function newIntent(body: CreatePaymentIntent): CreatedPaymentIntent {
  const id = newId('pi_')
  const at = new Date().toISOString()
  return {
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
}
