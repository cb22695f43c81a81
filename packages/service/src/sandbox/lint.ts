/** Finds integration mistakes in requests that would cause problems in production, and their fixes. @module */
import { hash } from 'node:crypto'
import type { LintIssue, LintRule } from '../../shared/sandbox-api.ts'
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

export function createLint() {
  const issues = new Map<string, LintIssue>()
  /** Reads of an intent in its current span, for the intents that were read last. */
  const reads = new Map<string, Reads>()

  function add({ request }: LogEntry, violation: Violation): void {
    const { rule, detail, subject = '', origin = null } = violation
    const { environment, intentId, requestId, at } = request
    const name = `${environment} ${rule} ${subject}`
    const existing = issues.get(name)
    // Delete it first, so that it is added at the end. The first issues are dropped.
    issues.delete(name)
    issues.set(name, {
      rule,
      ...lintRules[rule],
      detail,
      origin,
      environment,
      intentId,
      requestId,
      count: (existing?.count ?? 0) + 1,
      firstAt: existing?.firstAt ?? at,
      lastAt: at,
    })
    if (issues.size > maxIssues) issues.delete(issues.keys().next().value ?? '')
  }

  const drop = (isDropped: (issue: LintIssue) => boolean): void => {
    const dropped = [...issues].filter(([, issue]) => isDropped(issue))
    for (const [name] of dropped) issues.delete(name)
  }

  return {
    check: (entry: LogEntry): void => {
      for (const violation of violations(entry, countRead(reads, entry))) add(entry, violation)
    },
    /** Returns issues of an environment and of unknown environments, newest first. */
    issues: (environmentId: string): readonly LintIssue[] =>
      [...issues.values()]
        .filter(({ environment }) => environment === null || environment === environmentId)
        .reverse(),
    /** Removes issues about origins that have been registered. */
    resolve: (environmentId: string, origins: readonly string[]): void =>
      drop(
        ({ environment, origin }) =>
          environment === environmentId && origin !== null && origins.includes(origin),
      ),
    /** Clears all issues, or those of one environment and of unknown environments. */
    clear: (environmentId?: string): void =>
      drop(
        ({ environment }) =>
          environmentId === undefined || environment === null || environment === environmentId,
      ),
  }
}

/** @param reads - Number of reads of the intent in the current span, including this one. */
export function violations(entry: LogEntry, reads: number): readonly Violation[] {
  const { isKeyFromBrowser, hasSecretInUrl, unregisteredOrigin: origin } = entry
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

const maxIssues = 200

interface Reads {
  startedAt: number
  count: number
}

/** Returns the number of reads in the current span, which began with the first one after an earlier span. */
function countRead(reads: Map<string, Reads>, { request }: LogEntry): number {
  const { operation, status, intentId, at } = request
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

const maxIntents = 1000
