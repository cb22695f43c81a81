/** Finds integration mistakes in requests that would cause problems in production, and their fixes. @module */
import type { FastifyRequest } from 'fastify'
import type { LintIssue, LoggedRequest } from '../../shared/sandbox-api.ts'
import { hasSecret } from '../redact.ts'

const lintRules = {
  no_idempotency_key: {
    title: 'A create without an Idempotency-Key',
    fix: 'Send a key for each order and body, so that a retry after a timeout returns the first intent. @pi-checkout/server does this automatically.',
  },
  key_reused: {
    title: 'An Idempotency-Key was reused with another body',
    fix: 'Derive the key from the order and the exact body, so that a changed cart gets another key.',
  },
  polled_too_fast: {
    title: 'An intent is read more than once a second',
    fix: 'Read it when the buyer returns, and then once a minute. createCheckout() of @pi-checkout/server does this.',
  },
  secret_key_in_browser: {
    title: 'A browser sent a secret API key',
    fix: 'Create and retrieve on your server, and send only id and clientSecret to the page. Revoke this key: pi-service keys revoke.',
  },
  secret_in_url: {
    title: 'An address contains a key or a clientSecret',
    fix: 'Histories and logs store addresses. Send the key as Authorization: Bearer, and pass the secret to <pi-checkout> as a property.',
  },
  unregistered_origin: {
    title: 'A page of an unregistered origin requested the checkout',
    fix: 'Register exactly this origin, without a path or trailing slash.',
  },
}

export interface Violation {
  readonly rule: keyof typeof lintRules
  readonly detail: string
  /** Violations with the same subject are one issue. */
  readonly subject?: string
  readonly origin?: string
}

/** Returns the violations of one request whose response has ended. */
export function violationsOf(sent: FastifyRequest, logged: LoggedRequest): readonly Violation[] {
  const { operation, status, method, path, problem, idempotencyKey: key } = logged
  const { authorization, 'access-control-request-headers': asked = '' } = sent.headers
  const request = `${method} ${path}`
  const found: Violation[] = []
  if (operation === 'create' && status === 201 && key === null) {
    const detail = `${request} created an intent. A retry would create another one.`
    found.push({ rule: 'no_idempotency_key', detail })
  }
  if (operation === 'create' && status === 422) {
    const detail = `The key ${key} was sent with a different body. The request was rejected.`
    found.push({ rule: 'key_reused', detail, subject: key ?? '' })
  }
  if (problem === 'secret_key_in_browser' && authorization !== undefined) {
    const detail = `${request} from a page contained a key and was rejected.`
    found.push({ rule: 'secret_key_in_browser', detail })
  }
  if (method === 'OPTIONS' && status === 405 && /\bauthorization\b/i.test(asked)) {
    const detail = `A page tried to send a key to ${path}. The browser blocked the request.`
    found.push({ rule: 'secret_key_in_browser', detail })
  }
  if (hasSecret(sent.url)) {
    found.push({ rule: 'secret_in_url', detail: `${request} contained a credential.` })
  }
  const origin = sent.facts.unregisteredOrigin?.slice(0, 255)
  if (origin !== undefined) {
    const detail = `${origin} is not registered, so its page shows an error.`
    found.push({ rule: 'unregistered_origin', subject: origin, origin, detail })
  }
  return found
}

export interface Linted {
  readonly request: LoggedRequest
  readonly violations: readonly Violation[]
}

/**
 * Returns the issues of an environment's requests, newest first. Violations of a rule with the same subject are one.
 *
 * @param entries - Newest first.
 * @param origins - Registered ones, whose pages have no issue any more.
 */
export function findIssues(
  entries: readonly Linted[],
  origins: readonly string[],
): readonly LintIssue[] {
  const issues = new Map<string, LintIssue>()
  const reads = new Map<string, readonly number[]>()
  for (const { request, violations } of entries) {
    const { environment, requestId } = request
    for (const violation of [...violations, ...pollingOf(request, reads)]) {
      const { rule, detail, subject = '', origin = '' } = violation
      if (origins.includes(origin)) continue
      const name = `${environment} ${rule} ${subject}`
      if (!issues.has(name)) issues.set(name, { rule, ...lintRules[rule], detail, requestId })
    }
  }
  return [...issues.values()]
}

/** @param reads - The times of the later reads of each intent, the latest first. */
function pollingOf(
  { operation, status, intentId, at }: LoggedRequest,
  reads: Map<string, readonly number[]>,
): readonly Violation[] {
  // A client retries a failed read.
  if (operation !== 'retrieve' || status !== 200 || intentId === null) return []
  const time = Date.parse(at)
  const times = [...(reads.get(intentId) ?? []), time].slice(-tooManyReads)
  reads.set(intentId, times)
  const [latest = time] = times
  if (times.length < tooManyReads || latest - time >= readSpan) return []
  const detail = `${intentId} was read ${tooManyReads} times within ${readSpan / 1000} seconds.`
  return [{ rule: 'polled_too_fast', detail, subject: intentId }]
}

/** Number of reads of an intent within `readSpan` milliseconds that is more than one a second. */
const tooManyReads = 6
const readSpan = 5000
