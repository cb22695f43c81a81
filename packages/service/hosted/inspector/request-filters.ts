/** Which requests of the log are listed. @module */
import type { LintIssue, LoggedRequest } from '../../shared/sandbox-api.ts'

/** Requests, the newest first, and what lint has found in them. */
export interface Log {
  readonly requests: readonly LoggedRequest[]
  readonly issues: readonly LintIssue[]
}

export interface RequestFilter {
  readonly name: string
  readonly hint: string
  readonly has: (request: LoggedRequest, issues: readonly LintIssue[]) => boolean
}

export const requestFilters: readonly RequestFilter[] = [
  { name: 'All', hint: '', has: () => true },
  {
    name: 'Failed',
    hint: 'Rejected, or without a complete response.',
    // The 404 of a key check is expected.
    has: ({ operation, status }) => operation !== 'check' && (status === 0 || status >= 400),
  },
  {
    name: 'Replayed',
    hint: 'The first intent of the Idempotency-Key was returned again.',
    has: ({ replayed }) => replayed,
  },
  {
    name: 'Lost',
    hint: 'The client got no complete response. The intent may exist.',
    has: ({ status, faults }) => status === 0 || faults.some((fault) => unreadable.has(fault)),
  },
  {
    name: 'Conflicts',
    hint: 'The Idempotency-Key was used with another body, or is still in use.',
    has: ({ problem }) => problem?.startsWith('idempotency_key_') === true,
  },
  {
    name: 'Lint',
    hint: 'What would fail or leak in production, with its fix.',
    has: ({ requestId }, issues) => issues.some((issue) => issue.requestId === requestId),
  },
]

const unreadable: ReadonlySet<string> = new Set(['truncate-body', 'stall-body', 'malformed-json'])

/** @param search - `q`: part of what a row shows: order, path, status, error, fault, key, or id. */
export function findRequests(
  { requests, issues }: Log,
  { filter, q }: { readonly filter: string; readonly q: string },
): readonly LoggedRequest[] {
  const has = requestFilters.find(({ name }) => name === filter)?.has
  return requests.filter(
    (request) => (has?.(request, issues) ?? true) && matches(request, q.trim().toLowerCase()),
  )
}

function matches({ order, ...others }: LoggedRequest, term: string): boolean {
  const values = [Object.values(others), Object.values(order ?? {})]
  return JSON.stringify(values).toLowerCase().includes(term)
}
