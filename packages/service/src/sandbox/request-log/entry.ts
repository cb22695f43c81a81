/**
 * Entries of the request log. Everything that a client sent is masked when the entry is created, and only values that can be
 * shown are kept.
 *
 * @module
 */
import { keyCheckId, limits, headers as names } from '@pi-checkout/contract'
import { isCurrency } from '@pi-checkout/contract/money'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { routes } from '../../../shared/routes.ts'
import type { LoggedExchange, LoggedOperation, LoggedRequest } from '../../../shared/sandbox-api.ts'
import { maskCredentials, maskIds, redact } from '../../redact.ts'
import { type Linted, violationsOf } from '../lint.ts'

export interface LogEntry extends Linted {
  readonly exchange: Pick<LoggedExchange, 'headers' | 'responseHeaders'>
  /** Dropped when newer ones need their memory. */
  bodies: Pick<LoggedExchange, 'requestBody' | 'responseBody'>
}

/** Creates the entry of a request whose response has ended. */
export function entryOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { number, now }: { readonly number: number; readonly now: Date },
): LogEntry {
  const { statusCode, writableFinished } = reply.raw
  const status = writableFinished ? statusCode : 0
  const { facts, method, headers } = request
  const { environment, replayed, faults, problem } = facts
  const ms = performance.now() - facts.startedAt
  const key = headers[names.idempotencyKey]
  const logged: LoggedRequest = {
    number,
    at: new Date(now.getTime() - ms).toISOString(),
    ms: Math.round(ms * 10) / 10,
    method,
    path: pathOf(request),
    status,
    requestId: request.id,
    operation: operationOf(request, status),
    environment: environment?.id ?? null,
    intentId: facts.intent?.id ?? null,
    order: orderOf(request),
    idempotencyKey:
      typeof key === 'string' ? maskCredentials(key.slice(0, limits.idempotencyKey)) : null,
    replayed,
    faults,
    problem: problem?.code ?? null,
    detail: problem ? reasonOf(problem.message) : '',
    errors: (problem?.errors ?? [])
      .slice(0, maxErrors)
      .map((error) => ({ ...error, detail: reasonOf(error.detail) })),
  }
  return {
    request: logged,
    violations: violationsOf(request, logged),
    exchange: {
      headers: picked(shownHeaders, (name) => headers[name]),
      responseHeaders:
        status === 0 ? {} : picked(shownResponseHeaders, (name) => reply.getHeader(name)),
    },
    bodies: bodiesOf(facts, status),
  }
}

/** Ids are shown only if the request found the intent in a test environment, because they may be live. */
function pathOf({ url, facts }: FastifyRequest): string {
  const [sent = ''] = url.split('?', 1)
  const path = maskCredentials(redact(sent)).slice(0, maxPath)
  return facts.intent === undefined ? maskIds(path) : path
}

const maxPath = 200

function operationOf(
  { routeOptions, params, method, facts }: FastifyRequest,
  status: number,
): LoggedOperation {
  const { url } = routeOptions
  if (url === routes.create.path && method === 'POST') return 'create'
  if (method !== 'GET') return 'other'
  if (url === routes.page.path) return 'page'
  if (url !== routes.retrieve.path) return 'other'
  const { id } = params as { readonly id: string }
  return id === keyCheckId && facts.environment && status === 404 ? 'check' : 'retrieve'
}

/** Reads the order from the intent, or from the body of a create, which may be invalid. */
function orderOf({ facts: { intent }, body }: FastifyRequest): LoggedRequest['order'] {
  if (!intent) return OrderSchema.safeParse(body).data ?? null
  const { orderId, amount, currency } = intent
  return { orderId: redact(orderId), amount, currency }
}

/** A larger amount could be a card number. */
const OrderSchema = z.object({
  orderId: z.union([z.string(), z.number()]).transform((id) => redact(String(id).slice(0, 40))),
  amount: z.number().min(-limits.amount).max(limits.amount).nullable().catch(null),
  currency: z
    .string()
    .transform((code) => code.toUpperCase())
    .refine(isCurrency)
    .nullable()
    .catch(null),
})

/** A response lists more, and names of fields are bounded. */
const maxErrors = 5

/** A problem contains no received values but names of fields. */
function reasonOf(detail: string): string {
  return redact(detail.slice(0, 300))
}

function bodiesOf(
  { environment, problem, sentBody, responseBody }: FastifyRequest['facts'],
  status: number,
): LogEntry['bodies'] {
  return {
    requestBody: environment ? keptBody(sentBody) : null,
    // A problem contains no received values.
    responseBody: status !== 0 && (environment || problem) ? keptBody(responseBody) : null,
  }
}

const maxBody = 16 * 1024

function keptBody(text: string | undefined): string | null {
  if (text === undefined || text === '' || text.length > maxBody) return null
  // Also what JSON escapes hide.
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  const masked = redact(plain)
  return masked === plain ? text : masked
}

const shownHeaders = ['content-type', names.idempotencyKey, names.sandboxFault]
const shownResponseHeaders = [
  'location',
  names.idempotentReplayed,
  names.retryAfter,
  'www-authenticate',
  'allow',
  'accept-post',
]

function picked(
  shown: readonly string[],
  read: (name: string) => unknown,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of shown) {
    const value = read(name)
    if (typeof value === 'string') found[name] = maskCredentials(value).slice(0, 255)
  }
  return found
}
