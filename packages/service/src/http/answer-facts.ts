/**
 * What an answer said, for the sandbox's journal: a head that is written in one piece, which is the
 * fast way, cannot be read back afterwards.
 *
 * @module
 */
import type { ServerResponse } from 'node:http'

/** The facts of one answer. */
export interface AnswerFacts {
  readonly intentId: string
  readonly replayed: boolean
}

/** Keeps the facts as long as the answer lives. */
export function keepFacts(response: ServerResponse, facts: AnswerFacts): void {
  kept.set(response, facts)
}

/** Returns the facts; `undefined` when the answer had none. */
export function factsOf(response: ServerResponse): AnswerFacts | undefined {
  return kept.get(response)
}

const kept = new WeakMap<ServerResponse, AnswerFacts>()
