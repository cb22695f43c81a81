/** Searches for the shortest sequence of actions in which a shop loses, doubles, or invents a payment. @module */
import { randomInt } from 'node:crypto'
import { type Service, startService } from '@pi-checkout/service'
import fc from 'fast-check'
import { applies, handoffOf, knownActions, readStep, type Step, settled } from './actions.ts'
import { type Adapter, checkAdapter } from './adapter.ts'
import type { Exploration, ExploreOptions } from './exploration.ts'
import { Player } from './player.ts'
import { SetupError, TimeOver, Violation } from './violation.ts'

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
  const { adapter = {}, cwd = process.cwd(), command, replay, runs = 100 } = options
  const { seed = randomInt(2 ** 31 - 1) } = options
  if (!Array.isArray(command) || command.length === 0) {
    throw new TypeError(
      "command: must be the shop's program and arguments, such as ['node', 'shop.mjs'].",
    )
  }
  checkAdapter(adapter)
  if (options.shop !== undefined && (adapter.instances ?? 1) > 1) {
    throw new TypeError(
      'adapter.instances: several instances need PORT. Leave out the option shop.',
    )
  }
  const replayed = replay?.split(' ').filter(Boolean).map(readStep)
  const started = options.service ? undefined : await startService({ logLevel: 'silent' })
  const service = options.service ?? (started as Service)
  const endsAt = performance.now() + (options.time ?? Infinity)
  const player = new Player({
    ...options,
    adapter,
    cwd,
    service,
    endsAt,
    runs: replayed === undefined ? runs : 1,
  })
  try {
    if (replayed === undefined) {
      const steps = await search(player, { adapter, seed, runs })
      if (steps) await shorten(player, steps)
    } else await player.breaks(replayed)
  } catch (error) {
    if (!(error instanceof TimeOver)) throw error
  } finally {
    await player.end()
    await started?.stop()
  }
  const { sequences, violation, actions } = player
  if (sequences === 0) {
    throw new SetupError('The time ended before the first sequence. Allow more of it.')
  }
  return { sequences, seed, violation, actions, notChecked: notChecked(adapter) }
}

interface SearchOptions {
  readonly adapter: Adapter
  readonly seed: number
  readonly runs: number
}

/** Plays random sequences. Returns the played steps of the first that breaks a rule. */
async function search(
  player: Player,
  { adapter, seed, runs }: SearchOptions,
): Promise<readonly Step[] | undefined> {
  let broken: readonly Step[] | undefined
  const sequences = fc.array(anyStep(adapter), {
    minLength: 1,
    maxLength: longestSequence,
    size: 'max',
  })
  const property = fc.asyncProperty(sequences, async (generated) => {
    if (player.isOver) throw new TimeOver()
    const steps: Step[] = []
    broken = steps
    await player.play(steps, async (sequence) => {
      for (const each of generated) {
        const chosen = settled(sequence, each)
        // A buyer who holds nothing, or is not on the page, opens it.
        const step = applies(sequence, chosen) ? chosen : handoffOf(chosen)
        steps.push(step)
        await player.step(sequence, step)
      }
    })
  })
  const parameters = { seed, numRuns: runs, endOnFailure: true, unbiased: true }
  const { errorInstance } = await fc.check(property, parameters)
  if (!errorInstance || errorInstance instanceof TimeOver) return undefined
  if (!(errorInstance instanceof Violation)) throw errorInstance
  return broken
}

/** Removes steps while the rest still breaks a rule: first halves, then single steps. */
async function shorten(player: Player, found: readonly Step[]): Promise<void> {
  let steps = found
  for (
    let size = Math.ceil(steps.length / 2);
    size > 0;
    size = size > 1 ? Math.ceil(size / 2) : 0
  ) {
    for (let at = steps.length - size; at > -size; at -= size) {
      const from = Math.max(at, 0)
      const rest = [...steps.slice(0, from), ...steps.slice(from + size)]
      if (player.isOver) return
      if (rest.length < steps.length && (await player.breaks(rest))) steps = rest
    }
  }
}

function anyStep(adapter: Adapter): fc.Arbitrary<Step> {
  const { buyers = 2 } = adapter
  const weighted = knownActions(adapter).map(({ name, weight, variants }) => ({
    weight,
    arbitrary: fc.record({
      action: fc.constant(name),
      // Most faults need several actions of one buyer.
      buyer: fc.constantFrom(0, 0, ...Array.from({ length: buyers }, (_, index) => index)),
      pair: fc.nat({ max: 2 }),
      variant: fc.constantFrom(...variants),
    }),
  }))
  return fc.oneof(...weighted)
}

function notChecked({
  edit,
  finish,
  state,
  fulfilments,
  survivesRestart,
  buyers,
  reviews,
  instances,
}: Adapter): string[] {
  return [
    ...(edit ? [] : ['orders that are edited (edit)']),
    ...(finish ? [] : ['what the page sends after pi-finish (finish)']),
    ...(state ? [] : ['payments of buyers who do not come back (state)']),
    ...(reviews ? [] : ['payments that need a review (reviews)']),
    ...(fulfilments ? [] : ['double fulfilment (fulfilments)']),
    ...(survivesRestart ? [] : ['restarts of the shop (survivesRestart)']),
    ...((instances ?? 1) > 1 ? [] : ['several instances of the shop (instances)']),
    ...(buyers === 1 ? ['several buyers (buyers)'] : []),
  ]
}
