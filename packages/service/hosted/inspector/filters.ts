/** The filters of the lists. They outlive the views, which are created again with each change of section. @module */
import type { LoggedRequest } from '../../shared/sandbox-api.ts'

/** Filter of intents. The service applies both. */
export interface IntentFilter {
  readonly q: string
  readonly status: string
  /** Id of the intent before the page, or `''` for the newest page. */
  readonly before: string
}

/** Filter of requests, applied in the page. */
export interface RequestFilter {
  readonly q: string
  /** `failed`, an operation, or `''` for all requests. */
  readonly show: string
  /** Idempotency key of the creates, or `''` for all requests. */
  readonly key: string
}

/** The service accepts no longer search term. */
export const maxSearchLength = 200

export const anyIntent: IntentFilter = { q: '', status: '', before: '' }
export const anyRequest: RequestFilter = { q: '', show: '', key: '' }

export function isUnfiltered(filter: IntentFilter | RequestFilter): boolean {
  return !Object.values(filter).some(Boolean)
}

export function matchesRequest(request: LoggedRequest, { q, show, key }: RequestFilter): boolean {
  const { status, operation, idempotencyKey, order, ...shown } = request
  const isFailure = operation !== 'check' && (status === 0 || status >= 400)
  if (show === 'failed' ? !isFailure : show !== '' && operation !== show) return false
  if (key !== '' && idempotencyKey !== key) return false
  const { method, path, requestId, intentId, problem, faults, replayed } = shown
  const badges = [...faults, ...(replayed ? ['replayed'] : [])]
  const ids = [requestId, intentId, idempotencyKey, order?.orderId]
  const text = [method, path, status, problem, ...badges, ...ids].join(' ').toLowerCase()
  return text.includes(q.trim().toLowerCase())
}
