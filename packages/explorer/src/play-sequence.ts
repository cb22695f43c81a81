/** Plays one sequence from its beginning to its end, and judges it. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import { playEnd } from './ending.ts'
import type { RecordEvent } from './events.ts'
import { type Violation, violationIn } from './rules.ts'
import { Sequence, type SequenceOptions } from './sequence.ts'
import { SetupError } from './setup-error.ts'
import { play, readStep, type Step } from './steps.ts'

/** A sequence that was played. */
export interface PlayedSequence {
  /** Up to the first violation. */
  readonly steps: readonly Step[]
  readonly violation: Violation | undefined
  readonly records: readonly RecordEvent['record'][]
}

/**
 * Plays steps, until one breaks a rule, and the end of the sequence.
 *
 * @throws {SetupError} If the shop does not start, or gives no page anything to pay with.
 */
export async function playSequence(
  steps: readonly Step[],
  options: SequenceOptions,
): Promise<PlayedSequence> {
  const sequence = await Sequence.begin(options)
  try {
    const violation = await judged(steps, sequence)
    if (!violation) expectHandoff(sequence)
    const { events } = sequence
    return {
      steps: events.flatMap((event) => (event.type === 'step' ? [readStep(event.step)] : [])),
      violation,
      records: events.flatMap((event) => (event.type === 'record' ? [event.record] : [])),
    }
  } finally {
    await sequence.end()
  }
}

async function judged(steps: readonly Step[], sequence: Sequence): Promise<Violation | undefined> {
  try {
    for (const step of steps) {
      await play(step, sequence)
      const violation = violationIn(sequence.events)
      if (violation) return violation
    }
    return await playEnd(sequence)
  } catch (error) {
    // A request of the adapter fails if the shop exits in the meantime.
    await sleep(200)
    if (!sequence.events.some(({ type }) => type === 'exited')) throw error
    return violationIn(sequence.events)
  }
}

/** @throws {SetupError} If no page got a handoff: every sequence would be in vain. */
function expectHandoff({ ledger, events, lines }: Sequence): void {
  if (ledger.handoffs.length > 0) return
  const last = events.findLast((event) => event.type === 'handoff')
  throw new SetupError(
    `The handoff returned ${last?.status || 'no response'} and no { id, clientSecret }. Describe your routes in an adapter: --adapter FILE.\n${lines.join('\n')}`,
  )
}
