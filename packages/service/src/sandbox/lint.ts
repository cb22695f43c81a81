/**
 * What an integration does that will hurt in production, found in its requests, with the fix.
 *
 * @module
 */
import type { LintIssue, LintRule } from '../../shared/sandbox-api.ts'
import { digestOf, maskKey } from './mask.ts'
import type { Note } from './note.ts'

/** Every rule with its words. */
const lintRules = {
  no_idempotency_key: {
    title: 'A create without an Idempotency-Key',
    fix: 'Send one per order and body: a retry after a timeout then finds the first intent instead of making a second. @pi-checkout/server does it by itself.',
  },
  key_reused: {
    title: 'An Idempotency-Key came with another body',
    fix: 'Derive the key from the order and the exact body, so that a changed cart gets a key of its own.',
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
    title: 'A key or a clientSecret stands in an address',
    fix: 'Addresses end up in histories and logs. Send the key as Authorization: Bearer, and hand the secret to <pi-checkout> as a property.',
  },
  unregistered_origin: {
    title: 'A page of an unregistered origin asks for the checkout',
    fix: 'Register exactly this origin, without path or trailing slash.',
  },
} as const satisfies Record<LintRule, { readonly title: string; readonly fix: string }>

/** The findings of one instance. */
export interface Lint {
  /** Looks at an exchange. */
  check(note: Note): void
  /** Adds what only the store could tell. */
  add(note: Note, offence: Offence): void
  /** The newest first: those of an environment, and those of nobody known. */
  findings(environmentId: string): readonly LintIssue[]
  /** Drops the findings about origins that are registered by now. */
  resolve(environmentId: string, origins: readonly string[]): void
  /** Forgets the findings of all environments, or those of one and those of nobody known. */
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
  const findings = new Map<string, LintIssue>()
  const reads = new Map<string, Reads>()

  const add: Lint['add'] = (note, { rule, detail, subject = '', origin = null }) => {
    const { environment, intentId, requestId } = note
    const name = `${environment} ${rule} ${subject}`
    const known = findings.get(name)
    const at = note.at.toISOString()
    // Taken out and put back in, it is the last: the first ones are dropped.
    findings.delete(name)
    findings.set(name, {
      rule,
      ...lintRules[rule],
      detail,
      origin,
      environment,
      intentId,
      requestId,
      count: (known?.count ?? 0) + 1,
      firstAt: known?.firstAt ?? at,
      lastAt: at,
    })
    dropFirst(findings, maxFindings)
    changed()
  }

  const drop = (isGone: (finding: LintIssue) => boolean): void => {
    const gone = [...findings].filter(([, finding]) => isGone(finding))
    for (const [name] of gone) findings.delete(name)
    if (gone.length > 0) changed()
  }

  return {
    add,
    check: (note) => {
      for (const offence of offences(note, countRead(note, reads))) add(note, offence)
    },
    findings: (environmentId) =>
      [...findings.values()]
        .filter(({ environment }) => environment === null || environment === environmentId)
        .reverse(),
    resolve: (environmentId, origins) =>
      drop(
        ({ environment, origin }) =>
          environment === environmentId && origin !== null && origins.includes(origin),
      ),
    clear: (environmentId) =>
      drop(
        ({ environment }) =>
          environmentId === undefined || environment === null || environment === environmentId,
      ),
  }
}

/**
 * Tells which rules an exchange breaks.
 *
 * @param reads How often its intent was read within the last seconds, this time included.
 */
export function offences(note: Note, reads: number): readonly Offence[] {
  const { operation, status, keyFromBrowser, secretInUrl } = note
  const noKey = operation === 'create' && status === 201 && note.idempotencyKey === undefined
  const reused = operation === 'create' && status === 422
  const wasStopped = status === 403 || (status === 405 && note.method === 'OPTIONS')
  const inBrowser = keyFromBrowser && wasStopped && operation !== 'page'
  const tooFast = reads === tooManyReads
  if (!(noKey || reused || inBrowser || tooFast || secretInUrl)) return none
  const what = `${note.method} ${note.path}`
  const found: Offence[] = []
  if (noKey) {
    const detail = `${what} made an intent that a retry would make twice.`
    found.push({ rule: 'no_idempotency_key', detail })
  }
  if (reused) {
    const key = note.idempotencyKey ?? ''
    const detail = `The key ${maskKey(key)} came again with a different body and was refused.`
    found.push({ rule: 'key_reused', subject: digestOf(key), detail })
  }
  if (inBrowser) {
    const detail =
      status === 403
        ? `${what} came from a page with a key, and was refused.`
        : `A page wanted to send ${note.path} a key, and its browser was told no.`
    found.push({ rule: 'secret_key_in_browser', detail })
  }
  if (secretInUrl) found.push({ rule: 'secret_in_url', detail: `${what} carried a credential.` })
  if (tooFast) {
    const detail = `${note.intentId} was read ${reads} times within ${readSpan / 1000} seconds.`
    found.push({ rule: 'polled_too_fast', subject: note.intentId ?? '', detail })
  }
  return found
}

const none: readonly Offence[] = []

/** So many reads of one intent within so many milliseconds are more than one a second. */
const tooManyReads = 6
const readSpan = 5000

const maxFindings = 200
const maxWatched = 500

interface Reads {
  begin: number
  count: number
}

function countRead({ operation, status, intentId, at }: Note, reads: Map<string, Reads>): number {
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
