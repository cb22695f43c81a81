/**
 * One request with its response, as stored and as shown.
 *
 * @module
 */
import type { LoggedRequest } from '../../../shared/sandbox-api.ts'
import { maskKey } from './mask.ts'

/** The facts of a request, before it is decided which of them are shown. */
export interface LogEntry extends Omit<LoggedRequest, 'at' | 'ms' | 'idempotencyKey' | 'problem'> {
  readonly at: Date
  readonly ms: number
  /** As sent, so that a search finds it; it is shown masked. At most 255 characters. */
  readonly idempotencyKey: string | undefined
  readonly problem: string | undefined
  /** It had headers that only a browser sends, and a key or a preflight for one. */
  readonly isKeyFromBrowser: boolean
  /** The address contained a credential. */
  readonly hasSecretInUrl: boolean
  /** Origin of the page that requested a hosted page. */
  readonly origin: string | undefined
}

/** A search in the request log. */
export interface RequestFilter {
  /** Part of address, status, ids, problem and idempotency key. */
  readonly text: string
  /** Requests about these intents match too. */
  readonly intentIds: ReadonlySet<string>
}

/** Returns what may be shown of an entry. */
export function loggedRequest(entry: LogEntry): LoggedRequest {
  const { number, method, path, status, requestId, operation } = entry
  const { environment, intentId, replayed, pointers, pointersOmitted } = entry
  return {
    ...{ number, method, path, status, requestId, operation },
    ...{ environment, intentId, replayed, pointers, pointersOmitted },
    at: entry.at.toISOString(),
    ms: Math.round(entry.ms * 10) / 10,
    idempotencyKey: entry.idempotencyKey === undefined ? null : maskKey(entry.idempotencyKey),
    problem: entry.problem ?? null,
  }
}

/** The whole key is compared, although it is not shown: a developer who searches for it has it. */
export function matches(entry: LogEntry, { text, intentIds }: RequestFilter): boolean {
  const { method, path, status, requestId: id, intentId, idempotencyKey = '', problem = '' } = entry
  if (intentId !== null && intentIds.has(intentId)) return true
  const shown = [method, path, status, id, intentId, maskKey(idempotencyKey), problem]
  return `${shown.join(' ')} ${idempotencyKey}`.toLowerCase().includes(text.toLowerCase())
}
