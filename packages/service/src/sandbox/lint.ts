/**
 * What an integration does that will hurt in production, found in its requests, with the fix.
 *
 * @module
 */
import type { Exchange } from './journal.ts'

/** Every rule with its words. */
export const lintRules = {
  no_idempotency_key: {
    title: 'A create without an Idempotency-Key',
    fix: 'Send one per order and body: a retry after a timeout then finds the first intent instead of making a second. @pi-checkout/server does it by itself.',
  },
  key_reused: {
    title: 'An Idempotency-Key came with another body',
    fix: 'Derive the key from the order and the exact body, so that a changed cart gets a key of its own.',
  },
  polled_too_fast: {
    title: 'An intent is read again and again within a second',
    fix: 'Read it when the buyer comes back, then wait at least a second between reads; waitUntil of @pi-checkout/server does.',
  },
  secret_key_in_browser: {
    title: 'A secret API key came from a browser',
    fix: 'Create and retrieve on your server, and give the page id and clientSecret alone. Revoke this key: pi-service keys revoke.',
  },
  secret_in_url: {
    title: 'A key or a clientSecret stands in an address',
    fix: 'Addresses end up in histories and logs. Send the key as Authorization: Bearer, and hand the secret to <pi-checkout> as a property.',
  },
  unregistered_origin: {
    title: 'A page of an unregistered origin asks for the checkout',
    fix: 'Register exactly this origin, without path or trailing slash.',
  },
} as const
export type LintRule = keyof typeof lintRules

/** A rule that was broken, as often as it was. */
export interface Finding {
  readonly rule: LintRule
  readonly title: string
  /** This case in one sentence. */
  readonly detail: string
  readonly fix: string
  /** The origin to register, where that is the fix. */
  readonly origin: string | null
  /** `null`: the request did not tell. */
  readonly environment: string | null
  readonly intentId: string | null
  readonly count: number
  readonly requestId: string
  readonly firstAt: string
  readonly lastAt: string
}

/** The findings of one instance. */
export interface Lint {
  /** Looks at an exchange. */
  check(exchange: Exchange): void
  /** Adds what only the store could tell. */
  add(exchange: Exchange, offence: Offence): void
  /** The newest first: those of an environment, and those of nobody known. */
  findings(environmentId: string): readonly Finding[]
  /** Drops the findings about an origin: it is registered now. */
  resolve(environmentId: string, origin: string): void
  clear(environmentId?: string): void
}

/** A rule broken by one exchange. */
export interface Offence {
  readonly rule: LintRule
  readonly detail: string
  /** Offences with the same subject are one finding. */
  readonly subject?: string
  readonly origin?: string
}

/** Makes an empty list of findings. */
export function lint(changed: () => void): Lint {
  let findings = new Map<string, Finding>()
  const reads = new Map<string, number[]>()

  const add: Lint['add'] = (exchange, { rule, detail, subject = '', origin = null }) => {
    const { environment, at, intentId, requestId } = exchange
    const name = `${environment} ${rule} ${subject}`
    const known = findings.get(name)
    findings.delete(name)
    const { title, fix } = lintRules[rule]
    findings.set(name, {
      rule,
      title,
      detail,
      fix,
      origin,
      environment,
      intentId,
      requestId,
      count: (known?.count ?? 0) + 1,
      firstAt: known?.firstAt ?? at,
      lastAt: at,
    })
    if (findings.size > maxFindings) findings.delete(findings.keys().next().value ?? '')
    changed()
  }

  return {
    add,
    check: (exchange) => {
      for (const offence of offences(exchange, readsOf(exchange, reads))) add(exchange, offence)
    },
    findings: (environmentId) =>
      [...findings.values()]
        .filter(({ environment }) => environment === null || environment === environmentId)
        .reverse(),
    resolve: (environmentId, origin) => {
      findings = new Map(
        [...findings].filter(
          ([, finding]) => finding.environment !== environmentId || finding.origin !== origin,
        ),
      )
      changed()
    },
    clear: (environmentId) => {
      findings = new Map(
        environmentId === undefined
          ? []
          : [...findings].filter(([, { environment }]) => environment !== environmentId),
      )
      changed()
    },
  }
}

/**
 * Tells which rules an exchange breaks.
 *
 * @param reads Times in milliseconds of the last successful reads of its intent, this one included.
 */
export function offences(exchange: Exchange, reads: readonly number[]): readonly Offence[] {
  const { operation, status, idempotencyKey, fromBrowser, intentId, method, path } = exchange
  const found: Offence[] = []
  if (operation === 'create' && status === 201 && idempotencyKey === null) {
    found.push({
      rule: 'no_idempotency_key',
      detail: `${method} ${path} made an intent that a retry would make twice.`,
    })
  }
  if (operation === 'create' && status === 422) {
    found.push({
      rule: 'key_reused',
      subject: idempotencyKey ?? '',
      detail: `The key ${idempotencyKey} came again with a different body and was refused.`,
    })
  }
  if (fromBrowser && status === 403 && operation !== 'page') {
    found.push({
      rule: 'secret_key_in_browser',
      detail: `${method} ${path} came from a page and was refused.`,
    })
  }
  if (exchange.secretInUrl) {
    found.push({ rule: 'secret_in_url', detail: `${method} ${path} carried a credential.` })
  }
  const [first] = reads.slice(-tooMany)
  const last = reads.at(-1)
  if (reads.length >= tooMany && first !== undefined && last !== undefined) {
    const seconds = (last - first) / 1000
    if (seconds < tooMany - 1) {
      found.push({
        rule: 'polled_too_fast',
        subject: intentId ?? '',
        detail: `${intentId} was read ${tooMany} times in ${seconds.toFixed(1)} s.`,
      })
    }
  }
  return found
}

/** So many reads of one intent, on average less than a second apart, are too many. */
const tooMany = 6
const maxFindings = 200
const maxWatched = 200

function readsOf(exchange: Exchange, reads: Map<string, number[]>): readonly number[] {
  const { operation, status, intentId, at } = exchange
  if (operation !== 'retrieve' || status !== 200 || intentId === null) return []
  const times = [...(reads.get(intentId) ?? []), Date.parse(at)].slice(-tooMany)
  reads.delete(intentId)
  reads.set(intentId, times)
  if (reads.size > maxWatched) reads.delete(reads.keys().next().value ?? '')
  return times
}
