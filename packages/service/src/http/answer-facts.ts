/**
 * What an answer is about, for the sandbox's journal: a head that is written in one piece, which is the
 * fast way, cannot be read back afterwards.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'
import type { Environment } from '../merchants/environments.ts'

/** The facts of one answer, as far as they are known. */
export interface AnswerFacts {
  /** Whose key was sent. */
  readonly environment?: Environment
  readonly intentId?: string
  readonly replayed?: boolean
  /** Code of the problem that it is. */
  readonly problem?: string
  /** Which fields were refused. */
  readonly pointers?: readonly string[]
  /** How many more were refused. */
  readonly pointersOmitted?: number
}

/** Adds facts, which live as long as the answer. */
export function keepFacts(response: ServerResponse, facts: AnswerFacts): void {
  const noted: Noted = response
  noted[kept] = { ...noted[kept], ...facts }
}

/** Returns what was kept. */
export function factsOf(response: ServerResponse): AnswerFacts {
  const noted: Noted = response
  return noted[kept] ?? {}
}

/** Returns the status of an answer that is over; 0: the connection ended before all of it was sent. */
export function sentStatus(response: ServerResponse): number {
  return response.writableFinished ? response.statusCode : 0
}

// On the answer itself: a weak map costs the garbage collector more than all else that is noted.
const kept = Symbol('facts')

interface Noted extends ServerResponse {
  [kept]?: AnswerFacts
}
