/** Which requests of the log are listed. @module */
import type { LintIssue, LoggedRequest } from '../../shared/sandbox-api.ts'
import type { Route } from './route.ts'

/** Requests, the newest first, and what lint has found in them. */
export interface Log {
  readonly requests: readonly LoggedRequest[]
  readonly issues: readonly LintIssue[]
}

type Filter = (request: LoggedRequest, issues: readonly LintIssue[]) => boolean

export const requestFilters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['All', () => true],
  // The 404 of a key check is expected.
  ['Failed', ({ operation, status }) => operation !== 'check' && (status === 0 || status >= 400)],
  ['Replayed', ({ replayed }) => replayed],
  // The client got no complete response, so the intent may exist.
  ['Lost', ({ status, faults }) => status === 0 || faults.some((fault) => unreadable.has(fault))],
  ['Conflicts', ({ problem }) => problem?.startsWith('idempotency_key_') === true],
  ['Lint', ({ requestId }, issues) => issues.some((issue) => issue.requestId === requestId)],
])

const unreadable: ReadonlySet<string> = new Set(['truncate-body', 'stall-body', 'malformed-json'])

/** @param route - `q`: part of what a row shows: order, path, status, error, fault, key, or id. */
export function findRequests(
  { requests, issues }: Log,
  { q = '', filter = 'All' }: Pick<Route, 'q' | 'filter'>,
): readonly LoggedRequest[] {
  const has = requestFilters.get(filter)
  const term = q.trim().toLowerCase()
  return requests.filter((request) => (has?.(request, issues) ?? true) && matches(request, term))
}

function matches({ order, ...others }: LoggedRequest, term: string): boolean {
  const values = [Object.values(others), Object.values(order ?? {})]
  return JSON.stringify(values).toLowerCase().includes(term)
}
