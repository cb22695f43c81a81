/** Searches for the shortest sequence of actions in which a shop loses, doubles, or invents a payment. @module */
import { randomInt } from 'node:crypto'
import { type Service, startService } from '@pi-checkout/service'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { applies, fitted, readStep, type Step, stepDealer } from './actions.ts'
import { checkAdapter, notChecked } from './adapter.ts'
import { SetupError, TimeOver } from './errors.ts'
import type { Exploration, ExploreOptions, FoundViolation } from './exploration.ts'
import { type Fit, Player } from './player.ts'
import { shorten } from './shorten.ts'

const longestSequence = 25

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
  const { adapter = {}, command, replay, runs = 100 } = options
  const { seed = randomInt(2 ** 31 - 1), time = Infinity, onProgress } = options
  if (!Array.isArray(command) || command.length === 0) {
    throw new TypeError(
      "command: must be the shop's program and arguments, such as ['node', 'shop.mjs'].",
    )
  }
  checkAdapter(adapter)
  const replayed = replay?.split(' ').filter(Boolean).map(readStep)
  const endsAt = performance.now() + time
  const started = options.service ? undefined : await startService({ logLevel: 'silent' })
  const service = options.service ?? (started as Service)
  const startsAhead = replayed === undefined
  const player = new Player({ command, adapter, service, endsAt, startsAhead })
  const random = seededRandom(seed)
  const deal = stepDealer(random, adapter)
  let violation: FoundViolation | undefined

  const play = async (steps: readonly Step[], fit: Fit): Promise<boolean> => {
    const found = await player.play(steps, fit)
    violation = found ?? violation
    onProgress?.({ sequences: player.sequences, violation })
    return found !== undefined
  }
  const replaySteps = (steps: readonly Step[]): Promise<boolean> =>
    play(steps, (step, ledger) => (applies(step, ledger) ? step : undefined))

  try {
    if (replayed) await replaySteps(replayed)
    else {
      for (let run = 0; run < runs && !violation; run++) {
        const length = 1 + Math.floor(random() * longestSequence)
        await play(Array.from({ length }, deal), fitted)
      }
      if (violation) await shorten(violation.replay.split(' ').map(readStep), replaySteps)
    }
  } catch (error) {
    if (!(error instanceof TimeOver)) throw error
  } finally {
    await player.end()
    await started?.stop()
  }
  const { sequences, actions } = player
  if (sequences === 0) {
    throw new SetupError('The time ended before the first sequence. Allow more of it.')
  }
  return { sequences, seed, violation, actions, notChecked: notChecked(adapter) }
}
