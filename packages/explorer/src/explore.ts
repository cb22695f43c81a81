/** Searches for the shortest sequence of actions in which a shop loses, doubles, or invents a payment. @module */
import { startService } from '@pi-checkout/service'
import { type Adapter, notChecked } from './adapter.ts'
import type { RecordEvent } from './events.ts'
import { playSequence } from './play-sequence.ts'
import { rules, type Violation } from './rules.ts'
import { SetupError } from './setup-error.ts'
import { shorten } from './shorten.ts'
import { describeStep, readStep, type Step, stepDealer, writeStep } from './steps.ts'

const longestSequence = 25

export interface ExploreOptions {
  /** Program and arguments of the shop. */
  readonly command: readonly string[]
  readonly adapter: Adapter
  /** Milliseconds after which the search ends, also while it makes a violation shorter. */
  readonly time: number
  /** One sequence instead of a search, as a violation prints it. */
  readonly replay?: string | undefined
  /** Called after each sequence. */
  readonly onProgress?: (progress: Progress) => void
}

/** A violation and the shortest sequence that leads to it. */
interface FoundViolation extends Violation {
  /** What the rule means. */
  readonly title: string
  /** The actions, for people. A buyer loads the page first. In the end, buyers pay what they hold and come back. */
  readonly steps: readonly string[]
  readonly replay: string
}

export interface Progress {
  /** Number of played sequences, those included that made a violation shorter. */
  readonly sequences: number
  /** `undefined` if the shop was right in every sequence. */
  readonly violation: FoundViolation | undefined
}

export interface Exploration extends Progress {
  /** What needs a part that the adapter does not have. */
  readonly notChecked: readonly string[]
}

/** Plays a sequence. Returns its steps up to the one that broke a rule, `undefined` if they break none. */
type Play = (steps: readonly Step[]) => Promise<readonly Step[] | undefined>

/**
 * Plays sequences of actions against a shop, until one breaks a rule. Each has another environment.
 *
 * @throws {TypeError} If a step of `replay` is unknown.
 * @throws {SetupError} If the shop does not start, or takes no payment at all. The message says what to change.
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { adapter, command, replay, time, onProgress } = options
  const replayed = replay?.split(' ').filter(Boolean).map(readStep)
  const records: RecordEvent['record'][] = []
  let sequences = 0
  let violation: FoundViolation | undefined
  const service = await startService({ logLevel: 'silent' })
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), time)

  const play: Play = async (steps) => {
    const { signal } = end
    const played = await playSequence(steps, { command, adapter, service, signal })
    // A request that was aborted at the end proves nothing.
    signal.throwIfAborted()
    sequences++
    for (const event of played.events) if (event.type === 'record') records.push(event.record)
    if (played.violation) violation = found(played.violation, played.steps)
    onProgress?.({ sequences, violation })
    return played.violation && played.steps
  }

  try {
    if (replayed) await play(replayed)
    else await shorten(await findViolation(adapter, play), play)
  } catch (error) {
    if (!end.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    await service.stop()
  }
  if (sequences === 0) {
    throw new SetupError('The time ended before the first sequence. Allow more of it.')
  }
  return { sequences, violation, notChecked: notChecked(adapter, records) }
}

/** Plays random sequences until one breaks a rule. Returns it. */
async function findViolation(adapter: Adapter, play: Play): Promise<readonly Step[]> {
  const deal = stepDealer(adapter)
  for (;;) {
    const length = 1 + Math.floor(Math.random() * longestSequence)
    const broken = await play(Array.from({ length }, deal))
    if (broken) return broken
  }
}

function found(violation: Violation, steps: readonly Step[]): FoundViolation {
  return {
    ...violation,
    title: rules[violation.rule].title,
    steps: steps.map(describeStep),
    replay: steps.map(writeStep).join(' '),
  }
}
