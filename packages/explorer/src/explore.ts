/** Searches for the shortest sequence of actions in which a shop loses, doubles, or invents a payment. @module */
import { startService } from '@pi-checkout/service'
import { checkAdapter, notChecked } from './adapter.ts'
import type { RecordEvent } from './events.ts'
import type { Exploration, ExploreOptions, FoundViolation } from './exploration.ts'
import { playSequence } from './play-sequence.ts'
import { rules, type Violation } from './rules.ts'
import { SetupError } from './setup-error.ts'
import { shorten } from './shorten.ts'
import { describeStep, readStep, type Step, stepDealer, writeStep } from './steps.ts'

const longestSequence = 25

/** In milliseconds. A timer of Node.js has no longer one. */
const longestSearch = 2 ** 31 - 1

/**
 * Plays sequences of actions against a shop, until one breaks a rule. Each has another environment.
 *
 * @param options - The shop's command, its adapter, and the size of the search.
 * @returns The violation with its shortest sequence, if there is one.
 * @throws {TypeError} If an option or a part of the adapter is invalid. The message names it.
 * @throws {SetupError} If the shop does not start, or takes no payment at all. The message says what to change.
 * @example
 * const { violation } = await explore({ command: ['node', 'shop.mjs'], runs: 50 })
 * expect(violation).toBeUndefined()
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { adapter = {}, command, replay, runs = 100, time = longestSearch, onProgress } = options
  if (!Array.isArray(command) || command.length === 0) {
    throw new TypeError(
      "command: must be the shop's program and arguments, such as ['node', 'shop.mjs'].",
    )
  }
  checkAdapter(adapter)
  const replayed = replay?.split(' ').filter(Boolean).map(readStep)
  const records: RecordEvent['record'][] = []
  let sequences = 0
  let violation: FoundViolation | undefined
  const service = await startService({ logLevel: 'silent' })
  const end = new AbortController()
  const timer = setTimeout(() => end.abort(), Math.min(time, longestSearch))

  /** Returns the steps up to the one that broke a rule. */
  const play = async (steps: readonly Step[]): Promise<readonly Step[] | undefined> => {
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
    else {
      const deal = stepDealer(adapter)
      let broken: readonly Step[] | undefined
      for (let run = 0; run < runs && !broken; run++) {
        const length = 1 + Math.floor(Math.random() * longestSequence)
        broken = await play(Array.from({ length }, deal))
      }
      if (broken) await shorten(broken, play)
    }
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

function found({ rule, detail }: Violation, steps: readonly Step[]): FoundViolation {
  return {
    rule,
    title: rules[rule].title,
    detail,
    steps: steps.map(describeStep),
    replay: steps.map(writeStep).join(' '),
  }
}
