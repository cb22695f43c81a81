/** Entries of the request log, and their public form. @module */
import { z } from 'zod'
import type { LoggedExchange, LoggedRequest } from '../../../shared/sandbox-api.ts'
import { maskIds } from './mask.ts'

export interface LogEntry
  extends Omit<LoggedRequest, 'at' | 'ms' | 'idempotencyKey' | 'problem' | 'repeats' | 'order'> {
  readonly at: Date
  readonly ms: number
  /** Key with masked credentials, up to 255 characters. */
  readonly idempotencyKey: string | undefined
  readonly problem: string | undefined
  repeats: number
  /** Whether the request had headers that only browsers send, and a key or a preflight for one. */
  readonly isKeyFromBrowser: boolean
  /** Whether the address contained a credential. */
  readonly hasSecretInUrl: boolean
  /** Origin of the page that requested a hosted page, if it is not registered. */
  readonly unregisteredOrigin: string | undefined
}

/** An entry of the log, with what was sent and received. */
export interface KeptEntry extends LogEntry {
  /** Masks what was sent and received, once. */
  exchange: () => Exchange
  /** Size of its bodies, which are dropped when newer ones need their memory. */
  bytes: number
  /** Number of the log's last change that the entry contains. */
  revision: number
}

export type Exchange = Omit<LoggedExchange, 'request' | 'orderId'>

export interface RequestFilter {
  readonly operation: string | null
  /** Idempotency key of the creates. `null` matches all. */
  readonly key: string | null
  readonly failed: boolean
  /** Part of a path, status, problem, fault, key, or order, `replayed`, or the beginning of an id. `null` matches all. */
  readonly text: string | null
  /** Intents whose requests match the text too. */
  readonly intentIds: ReadonlySet<string>
}

export function loggedRequest(entry: KeptEntry): LoggedRequest {
  const { number, method, path, status, requestId, operation } = entry
  const { environment, intentId, replayed, repeats, faults, pointers, pointersOmitted } = entry
  return {
    number,
    method,
    path,
    status,
    requestId,
    operation,
    environment,
    intentId,
    replayed,
    repeats,
    faults,
    pointers,
    pointersOmitted,
    at: entry.at.toISOString(),
    ms: Math.round(entry.ms * 10) / 10,
    idempotencyKey: entry.idempotencyKey ?? null,
    problem: entry.problem ?? null,
    order: orderOf(entry),
  }
}

/** Reads the order from the body of a create, which may be invalid. */
function orderOf({ operation, exchange }: KeptEntry): LoggedRequest['order'] {
  if (operation !== 'create') return null
  const { requestBody } = exchange()
  if (requestBody === null) return null
  try {
    return OrderSchema.safeParse(JSON.parse(requestBody)).data ?? null
  } catch {
    return null
  }
}

const OrderSchema = z.object({
  orderId: z.union([z.string(), z.number()]).transform((id) => String(id).slice(0, 40)),
  amount: z.number().nullable().catch(null),
  currency: z.string().max(8).nullable().catch(null),
})

/** Returns a key without the quotes of a structured field. */
export function bareKey(sent: string): string {
  return sent.startsWith('"') ? sent.slice(1, -1) : sent
}

/** Returns whether a request failed, or its connection closed before the response. */
export function isFailure({ status, operation }: LogEntry): boolean {
  return operation !== 'check' && (status === 0 || status >= 400)
}

export function matches(entry: KeptEntry, filter: RequestFilter): boolean {
  const { operation, failed, text, intentIds } = filter
  const { method, path, status, requestId, intentId, idempotencyKey, problem } = entry
  if (operation !== null && entry.operation !== operation) return false
  if (failed && !isFailure(entry)) return false
  const key = idempotencyKey === undefined ? null : bareKey(idempotencyKey)
  if (filter.key !== null && bareKey(filter.key) !== key) return false
  if (text === null || (intentId !== null && intentIds.has(intentId))) return true
  // A part of a random id means nothing.
  if ([requestId, intentId, path].some((id) => id?.startsWith(text))) return true
  const badges = [...(entry.replayed ? ['replayed'] : []), ...entry.faults]
  const shown = [method, maskIds(path), status, key, problem, ...badges]
  const has = (part: string): boolean => part.toLowerCase().includes(text.toLowerCase())
  return has(shown.join(' ')) || has(orderOf(entry)?.orderId ?? '')
}
