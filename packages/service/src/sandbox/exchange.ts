/**
 * One request and its answer as they may be shown, and how one is found again.
 *
 * @module
 */
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { maskKey } from './mask.ts'
import type { Note } from './note.ts'

/** What is looked for in the journal. */
export interface Search {
  /** In address, status, ids, problem and idempotency key. */
  readonly text: string
  /** Intents that are meant as well. */
  readonly intentIds: ReadonlySet<string>
}

/** Makes of a note what may be shown. */
export function exchangeOf(note: Note): LoggedRequest {
  const { number, method, path, status, operation, environment, intentId, replayed } = note
  return {
    number,
    at: note.at.toISOString(),
    method,
    path,
    status,
    ms: Math.round(note.ms * 10) / 10,
    requestId: note.requestId,
    operation,
    environment,
    intentId,
    idempotencyKey: note.idempotencyKey === undefined ? null : maskKey(note.idempotencyKey),
    replayed,
    problem: note.problem ?? null,
    pointers: note.pointers,
    pointersOmitted: note.pointersOmitted,
  }
}

/** The whole key is compared, though it is never shown: whoever looks for it has it. */
export function isSought(note: Note, { text, intentIds }: Search): boolean {
  const { method, path, status, requestId: id, intentId, idempotencyKey = '', problem = '' } = note
  if (intentId !== null && intentIds.has(intentId)) return true
  const shown = [method, path, status, id, intentId, maskKey(idempotencyKey), problem]
  return `${shown.join(' ')} ${idempotencyKey}`.toLowerCase().includes(text.toLowerCase())
}
