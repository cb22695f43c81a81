/** Plays one sequence from its beginning to its end, and judges it. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import { playEnd } from './ending.ts'
import type { Event } from './events.ts'
import { type Violation, violationIn } from './rules.ts'
import { Sequence, type SequenceOptions } from './sequence.ts'
import { SetupError } from './setup-error.ts'
import { playStep, type Step } from './steps.ts'

/** A sequence that was played. */
export interface PlayedSequence {
  /** Up to the first violation. */
  readonly steps: readonly Step[]
  readonly violation: Violation | undefined
  readonly events: readonly Event[]
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
  const { ledger, events } = sequence
  const played: Step[] = []
  try {
    for (const step of steps) {
      // The tab that exists.
      const tab = step.tab % Math.max(ledger.held(step.buyer).length, 1)
      played.push({ ...step, tab })
      await playStep(step, sequence)
      const violation = violationIn(events)
      if (violation) return { steps: played, violation, events }
    }
    const violation = await playEnd(sequence)
    if (!violation) expectHandoff(sequence)
    return { steps: played, violation, events }
  } catch (error) {
    // A request of the adapter fails if the shop exits in the meantime.
    await sleep(200)
    if (!events.some(({ type }) => type === 'exited')) throw error
    return { steps: played, violation: violationIn(events), events }
  } finally {
    await sequence.end()
  }
}

/** @throws {SetupError} If no page got a handoff: every sequence would be in vain. */
function expectHandoff({ ledger, events, shop }: Sequence): void {
  if (ledger.handoffs.length > 0) return
  const last = events.findLast((event) => event.type === 'handoff')
  throw new SetupError(
    `The handoff returned ${last?.status || 'no response'} and no { id, clientSecret }. Describe your routes in an adapter: --adapter FILE.\n${shop.lines.join('\n')}`,
  )
}
