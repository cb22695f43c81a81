/**
 * One request and its answer as they may be shown, and how one is found again.
 *
 * @module
 */
import { maskKey } from './mask.ts'
import type { Note, Operation } from './note.ts'

/** One request and its answer, as it may be shown. */
export interface Exchange {
  /** Grows by one with each exchange of this instance. */
  readonly number: number
  /** Real time, RFC 3339 UTC. */
  readonly at: string
  readonly method: string
  /** Without query; credentials in it are masked, and ids that no test environment has shown. */
  readonly path: string
  /** 0: the connection ended before the whole answer. */
  readonly status: number
  /** Milliseconds until the answer was written. */
  readonly ms: number
  readonly requestId: string
  readonly operation: Operation
  /** Id of the test environment; `null` where no key told which. */
  readonly environment: string | null
  readonly intentId: string | null
  /** Masked. `null`: none was sent. */
  readonly idempotencyKey: string | null
  readonly replayed: boolean
  /** Code of the problem that the answer was. */
  readonly problem: string | null
  /** Fields that it refused, as JSON Pointers: the first 20 at most, and 500 characters. */
  readonly pointers: readonly string[]
  /** How many more it refused. */
  readonly pointersOmitted: number
}

/** What is looked for in the journal. */
export interface Search {
  /** In address, status, ids, problem and idempotency key. */
  readonly text: string
  /** Intents that are meant as well. */
  readonly intentIds: ReadonlySet<string>
}

/** Makes of a note what may be shown. */
export function exchangeOf(note: Note): Exchange {
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
