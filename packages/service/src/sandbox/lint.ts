/**
 * Mistakes of an integration that cause problems in production, found in its requests, with the fix.
 *
 * @module
 */
import type { LintIssue, LintRule } from '../../shared/sandbox-api.ts'
import type { LogEntry } from './request-log/logged-request.ts'
import { digestOf, maskKey } from './request-log/mask.ts'

/** The texts of every rule. */
const lintRules = {
  no_idempotency_key: {
    title: 'A create without an Idempotency-Key',
    fix: 'Send one per order and body: a retry after a timeout then finds the first intent instead of creating a second. @pi-checkout/server does it automatically.',
  },
  key_reused: {
    title: 'An Idempotency-Key came with another body',
    fix: 'Derive the key from the order and the exact body, so that a changed cart gets another key.',
  },
  polled_too_fast: {
    title: 'An intent is read more than once a second',
    fix: 'Read it when the buyer comes back, then wait at least a second between reads; waitUntil of @pi-checkout/server does.',
  },
  secret_key_in_browser: {
    title: 'A secret API key came from a browser',
    fix: 'Create and retrieve on your server, and give the page id and clientSecret alone. Revoke this key: pi-service keys revoke.',
  },
  secret_in_url: {
    title: 'An address contains a key or a clientSecret',
    fix: 'Addresses end up in histories and logs. Send the key as Authorization: Bearer, and hand the secret to <pi-checkout> as a property.',
  },
  unregistered_origin: {
    title: 'A page of an unregistered origin asks for the checkout',
    fix: 'Register exactly this origin, without path or trailing slash.',
  },
} as const satisfies Record<LintRule, { readonly title: string; readonly fix: string }>

/** The issues of one instance. */
export type Lint = ReturnType<typeof createLint>

/** A rule that one request broke. */
export interface Violation {
  readonly rule: LintRule
  readonly detail: string
  /** Violations with the same subject are one issue. */
  readonly subject?: string
  readonly origin?: string
}

/** Creates an empty list of issues. */
export function createLint(changed: () => void) {
  const issues = new Map<string, LintIssue>()
  const reads = new Map<string, Reads>()

  function add(entry: LogEntry, violation: Violation): void {
    const { rule, detail, subject = '', origin = null } = violation
    const { environment, intentId, requestId } = entry
    const name = `${environment} ${rule} ${subject}`
    const existing = issues.get(name)
    const at = entry.at.toISOString()
    // Removed and added again, it is the last: the first ones are dropped.
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
    dropFirst(issues, maxIssues)
    changed()
  }

  const drop = (isGone: (issue: LintIssue) => boolean): void => {
    const gone = [...issues].filter(([, issue]) => isGone(issue))
    for (const [name] of gone) issues.delete(name)
    if (gone.length > 0) changed()
  }

  return {
    /** Adds a violation that only the store could show. */
    add,
    check: (entry: LogEntry): void => {
      for (const violation of violations(entry, countRead(entry, reads))) add(entry, violation)
    },
    /** The newest first: those of an environment, and those of no known one. */
    issues: (environmentId: string): readonly LintIssue[] =>
      [...issues.values()]
        .filter(({ environment }) => environment === null || environment === environmentId)
        .reverse(),
    /** Drops the issues about origins that are registered now. */
    resolve: (environmentId: string, origins: readonly string[]): void =>
      drop(
        ({ environment, origin }) =>
          environment === environmentId && origin !== null && origins.includes(origin),
      ),
    /** Clears the issues of all environments, or those of one and those of no known one. */
    clear: (environmentId?: string): void =>
      drop(
        ({ environment }) =>
          environmentId === undefined || environment === null || environment === environmentId,
      ),
  }
}

/**
 * Returns the rules that a request breaks.
 *
 * @param reads - How often its intent was read within the last seconds, this time included.
 */
export function violations(entry: LogEntry, reads: number): readonly Violation[] {
  const { operation, status, isKeyFromBrowser, hasSecretInUrl } = entry
  const noKey = operation === 'create' && status === 201 && entry.idempotencyKey === undefined
  const reused = operation === 'create' && status === 422
  const wasStopped = status === 403 || (status === 405 && entry.method === 'OPTIONS')
  const inBrowser = isKeyFromBrowser && wasStopped && operation !== 'page'
  const tooFast = reads === tooManyReads
  const what = `${entry.method} ${entry.path}`
  const found: Violation[] = []
  if (noKey) {
    const detail = `${what} created an intent that a retry would create twice.`
    found.push({ rule: 'no_idempotency_key', detail })
  }
  if (reused) {
    const key = entry.idempotencyKey ?? ''
    const detail = `The key ${maskKey(key)} was sent again with a different body and was rejected.`
    found.push({ rule: 'key_reused', subject: digestOf(key), detail })
  }
  if (inBrowser) {
    const detail =
      status === 403
        ? `${what} came from a page with a key, and was rejected.`
        : `A page asked to send a key to ${entry.path}, and its browser blocked it.`
    found.push({ rule: 'secret_key_in_browser', detail })
  }
  if (hasSecretInUrl)
    found.push({ rule: 'secret_in_url', detail: `${what} contained a credential.` })
  if (tooFast) {
    const detail = `${entry.intentId} was read ${reads} times within ${readSpan / 1000} seconds.`
    found.push({ rule: 'polled_too_fast', subject: entry.intentId ?? '', detail })
  }
  return found
}

/** This many reads of one intent within `readSpan` milliseconds are more than one a second. */
const tooManyReads = 6
const readSpan = 5000

const maxIssues = 200
const maxWatched = 500

interface Reads {
  begin: number
  count: number
}

function countRead(
  { operation, status, intentId, at }: LogEntry,
  reads: Map<string, Reads>,
): number {
  if (operation !== 'retrieve' || status !== 200 || intentId === null) return 0
  const time = at.getTime()
  const known = reads.get(intentId)
  if (known && time - known.begin < readSpan) return ++known.count
  reads.set(intentId, { begin: time, count: 1 })
  dropFirst(reads, maxWatched)
  return 1
}

function dropFirst(map: Map<string, unknown>, size: number): void {
  if (map.size > size) map.delete(map.keys().next().value ?? '')
}
