/** The filters of the request log. Pure. @module */
import type { LintIssue, LoggedRequest } from '../../shared/sandbox-api.ts'

/** Each filter with its label and its explanation. */
export const filterNames = [
  ['all', 'All', ''],
  ['failed', 'Failed', 'Rejected, or without a complete response.'],
  ['replayed', 'Replayed', 'The first intent of the Idempotency-Key was returned again.'],
  ['lost', 'Lost', 'The client got no complete response. The intent may exist.'],
  ['conflicts', 'Conflicts', 'The Idempotency-Key was used with another body, or is still in use.'],
  ['lint', 'Lint', 'What would fail or leak in production, with its fix.'],
] as const

export type FilterName = (typeof filterNames)[number][0]

/** Returns whether a request failed. That of a key check, whose 404 is expected, did not. */
function isFailure({ operation, status }: LoggedRequest): boolean {
  return operation !== 'check' && (status === 0 || status >= 400)
}

/** Returns what each filter shows of the requests and issues that match a search. */
export function filterRequests(
  {
    requests,
    issues,
  }: { readonly requests: readonly LoggedRequest[]; readonly issues: readonly LintIssue[] },
  q: string,
) {
  const found = requests.filter((request) => matches(request, q.trim().toLowerCase()))
  return {
    all: found,
    failed: found.filter(isFailure),
    replayed: found.filter(({ replayed }) => replayed),
    lost: found.filter(isLost),
    conflicts: found.filter(({ problem }) => problem?.startsWith('idempotency_key_')),
    // The log may not have its request anymore.
    lint: issues.filter((issue) => matches(issue, q.trim().toLowerCase())),
  }
}

function isLost({ status, faults }: LoggedRequest): boolean {
  return status === 0 || faults.some((fault) => unreadable.has(fault))
}

const unreadable: ReadonlySet<string> = new Set(['truncate-body', 'stall-body', 'malformed-json'])

/** Looks at everything that a row shows: order, path, status, error, fault, key, and ids. */
function matches(shown: LoggedRequest | LintIssue, term: string): boolean {
  const { order, ...others } = { order: null, ...shown }
  const values = [Object.values(others), Object.values(order ?? {})]
  return JSON.stringify(values).toLowerCase().includes(term)
}
