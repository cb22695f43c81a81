/** Finds integration mistakes in requests that would cause problems in production, and their fixes. @module */
import { hash } from 'node:crypto'
import type { LintIssue, LintRule, LoggedRequest } from '../../shared/sandbox-api.ts'
import type { LogEntry } from './request-log/entry.ts'

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
} as const satisfies Record<LintRule, { readonly title: string; readonly fix: string }>

interface Violation {
  readonly rule: LintRule
  readonly detail: string
  /** Violations with the same subject are one issue. */
  readonly subject?: string
  readonly origin?: string
}

/**
 * Returns the issues of an environment's requests, newest first. Violations of a rule with the same subject are one.
 *
 * @param entries - Newest first.
 * @param origins - Registered ones, whose pages have no issue any more.
 */
export function findIssues(
  entries: readonly LogEntry[],
  origins: readonly string[],
): readonly LintIssue[] {
  const issues = new Map<string, LintIssue>()
  for (const entry of entries) {
    for (const { rule, detail, subject = '', origin = null } of violations(entry)) {
      if (origin !== null && origins.includes(origin)) continue
      const { environment, intentId, requestId, at } = entry.request
      const name = `${environment} ${rule} ${subject}`
      const texts = { rule, ...lintRules[rule], detail, origin, environment }
      const newest = issues.get(name) ?? { ...texts, intentId, requestId, count: 0, lastAt: at }
      issues.set(name, { ...newest, count: newest.count + 1, firstAt: at })
    }
  }
  return [...issues.values()]
}

export function violations(entry: LogEntry): readonly Violation[] {
  const { isKeyFromBrowser, hasSecretInUrl, reads, unregisteredOrigin: origin } = entry
  const { operation, status, method, path, idempotencyKey: key, intentId } = entry.request
  const request = `${method} ${path}`
  const found: Violation[] = []
  const add = (rule: LintRule, detail: string, subject?: string): void =>
    void found.push({ rule, detail, ...(subject !== undefined && { subject }) })
  if (operation === 'create' && status === 201 && key === null) {
    add('no_idempotency_key', `${request} created an intent. A retry would create another one.`)
  }
  if (operation === 'create' && status === 422) {
    const detail = `The key ${key} was sent with a different body. The request was rejected.`
    add('key_reused', detail, hash('sha256', key ?? ''))
  }
  if (isKeyFromBrowser && operation !== 'page') {
    const rule = 'secret_key_in_browser'
    if (status === 403) add(rule, `${request} from a page contained a key and was rejected.`)
    if (status === 405 && method === 'OPTIONS') {
      add(rule, `A page tried to send a key to ${path}. The browser blocked the request.`)
    }
  }
  if (hasSecretInUrl) add('secret_in_url', `${request} contained a credential.`)
  if (origin !== undefined) {
    const detail = `${origin} is not registered, so its page shows an error.`
    found.push({ rule: 'unregistered_origin', subject: origin, origin, detail })
  }
  if (reads === tooManyReads) {
    const detail = `${intentId} was read ${reads} times within ${readSpan / 1000} seconds.`
    add('polled_too_fast', detail, intentId ?? '')
  }
  return found
}

/** Number of reads of an intent within `readSpan` milliseconds that is more than one a second. */
const tooManyReads = 6
const readSpan = 5000

interface Reads {
  readonly startedAt: number
  count: number
}

/**
 * Returns the function that counts the reads of an intent within `readSpan`, including this one. The span begins with the
 * first read after an earlier span.
 */
export function createReadCounter(): (request: LoggedRequest) => number {
  /** By intent, for those that were read last. */
  const reads = new Map<string, Reads>()
  return ({ operation, status, intentId, at }) => {
    // A client retries a failed read.
    if (operation !== 'retrieve' || status !== 200 || intentId === null) return 0
    const time = Date.parse(at)
    const last = reads.get(intentId)
    const isInSpan = last !== undefined && time - last.startedAt < readSpan
    const span = isInSpan ? last : { startedAt: time, count: 0 }
    span.count++
    reads.delete(intentId)
    reads.set(intentId, span)
    if (reads.size > maxIntents) reads.delete(reads.keys().next().value ?? '')
    return span.count
  }
}

const maxIntents = 1000
