/** Searches for the shortest sequence of actions in which a shop loses, doubles, or invents a payment. @module */
import { randomInt } from 'node:crypto'
import { startService } from '@pi-checkout/service'
import fc from 'fast-check'
import {
  applies,
  describeStep,
  knownActions,
  play,
  readStep,
  type Step,
  writeStep,
} from './actions.ts'
import type { Adapter } from './adapter.ts'
import type { RecordedRequest } from './buyer.ts'
import { Sequence, type ServiceAddress } from './sequence.ts'
import { freePort, Shop } from './shop.ts'
import { type Rule, rules, SetupError, Violation } from './violation.ts'

/** Options of `explore()`. */
export interface ExploreOptions {
  /** Program and arguments of the shop, such as `['node', 'shop.mjs']`. */
  readonly command: readonly string[]
  /**
   * How the shop differs from `createHandoff()` under `/checkout`.
   *
   * @default none
   */
  readonly adapter?: Adapter
  /**
   * Folder in which the shop starts.
   *
   * @default the current one
   */
  readonly cwd?: string
  /**
   * Origin at which the shop responds, if it does not listen on `PORT`.
   *
   * @default http://localhost:PORT with a free port
   */
  readonly shop?: string
  /**
   * Number of sequences.
   *
   * @default 100
   */
  readonly runs?: number
  /**
   * Milliseconds after which the search ends.
   *
   * @default no limit
   */
  readonly time?: number
  /**
   * Makes the same sequences again.
   *
   * @default random
   */
  readonly seed?: number
  /**
   * One sequence instead of a search, as a violation prints it.
   *
   * @default none
   */
  readonly replay?: string
  /**
   * Called after each sequence with the number of sequences so far.
   *
   * @default nothing
   */
  readonly onSequence?: (count: number) => void
}

/** A violation and the shortest sequence that leads to it. */
export interface FoundViolation {
  readonly rule: Rule
  /** What the rule means. */
  readonly title: string
  /** What happened, and how to correct it. */
  readonly detail: string
  /** The actions, for people. After the last one, buyers pay what they hold and come back. */
  readonly steps: readonly string[]
  /** Requests of the buyers to the shop. */
  readonly requests: readonly RecordedRequest[]
  /** Value of `replay`. */
  readonly replay: string
}

/** Result of `explore()`. */
export interface Exploration {
  /** Number of played sequences, those included that made a violation shorter. */
  readonly sequences: number
  readonly seed: number
  /** `undefined` if the shop was right in every sequence. */
  readonly violation: FoundViolation | undefined
  /** What needs a part that the adapter does not have. */
  readonly notChecked: readonly string[]
}

/** Actions of a sequence at most. */
const longestSequence = 12

/**
 * Plays sequences of actions against a shop, until one breaks a rule. Each has an environment of its own.
 *
 * @param options - The shop's command, its adapter, and the size of the search.
 * @returns The violation with its shortest sequence, if there is one.
 * @throws {SetupError} If the shop does not start, or takes no payment at all. The message says what to change.
 * @example
 * const { violation } = await explore({ command: ['node', 'shop.mjs'], runs: 50 })
 * expect(violation).toBeUndefined()
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { adapter = {}, cwd = process.cwd(), command, replay } = options
  const { seed = randomInt(2 ** 31 - 1) } = options
  if (!Array.isArray(command) || command.length === 0) {
    throw new TypeError(
      "command: must be the shop's program and arguments, such as ['node', 'shop.mjs'].",
    )
  }
  const url = options.shop ?? `http://localhost:${await freePort()}`
  const service = await startService({ logLevel: 'silent' })
  const shop = new Shop({ command, cwd, url })
  const player = new Player({ shop, service, adapter }, options.onSequence)
  try {
    await player.expectPayment()
    if (replay === undefined) {
      const steps = await search(player, { ...options, adapter, seed })
      if (steps) await shorten(player, steps)
    } else await player.breaks(replay.split(' ').filter(Boolean).map(readStep))
  } finally {
    await shop.stop()
    await service.stop()
  }
  const { sequences, violation } = player
  return { sequences, seed, violation, notChecked: notChecked(adapter) }
}

/** Plays sequences, and keeps the shortest that broke a rule. */
class Player {
  sequences = 0
  violation: FoundViolation | undefined
  readonly #options: {
    readonly shop: Shop
    readonly service: ServiceAddress
    readonly adapter: Adapter
  }
  readonly #onSequence: ExploreOptions['onSequence']

  constructor(
    options: { readonly shop: Shop; readonly service: ServiceAddress; readonly adapter: Adapter },
    onSequence: ExploreOptions['onSequence'],
  ) {
    this.#options = options
    this.#onSequence = onSequence
  }

  /** @throws {SetupError} If a buyer who pays is not told so: every sequence would break a rule, for another reason. */
  async expectPayment(): Promise<void> {
    const sequence = await Sequence.begin(this.#options)
    try {
      const [buyer] = sequence.buyers
      if (!buyer) throw new SetupError('The adapter has no buyers: set 1 to 4.')
      await sequence.open(buyer)
      const response = await sequence.handoff(buyer)
      const [pair] = sequence.held
      if (!pair) {
        const shown = response.type === 'error' ? 'no response' : `${response.status}`
        throw new SetupError(
          `The handoff returned ${shown} and no { id, clientSecret }. Describe your routes in an adapter: --adapter file.mjs.\n${sequence.shop.lines.join('\n')}`,
        )
      }
    } finally {
      await sequence.end()
    }
  }

  /** Plays a sequence. Returns whether it breaks a rule. */
  async breaks(steps: readonly Step[]): Promise<boolean> {
    try {
      await this.play(steps, async (sequence) => {
        for (const step of steps) if (applies(sequence, step)) await play(sequence, step)
      })
      return false
    } catch (error) {
      ignoreViolation(error)
      return true
    }
  }

  /**
   * Begins a sequence, lets `act` play its steps, and closes it.
   *
   * @throws {Violation} If the sequence breaks a rule.
   */
  async play(steps: readonly Step[], act: (sequence: Sequence) => Promise<void>): Promise<void> {
    const sequence = await Sequence.begin(this.#options)
    try {
      await act(sequence)
      await sequence.close()
    } catch (error) {
      if (error instanceof Violation) this.#keep(error, steps, sequence)
      throw error
    } finally {
      await sequence.end()
      this.sequences++
      this.#onSequence?.(this.sequences)
    }
  }

  #keep({ rule, message: detail }: Violation, steps: readonly Step[], sequence: Sequence): void {
    const replay = steps.map(writeStep).join(' ')
    if (this.violation && this.violation.steps.length < steps.length) return
    const shown = { steps: steps.map(describeStep), requests: [...sequence.requests], replay }
    this.violation = { rule, title: rules[rule], detail, ...shown }
  }
}

interface SearchOptions extends ExploreOptions {
  readonly adapter: Adapter
  readonly seed: number
}

/** A step as a command of fast-check. */
class StepCommand implements fc.AsyncCommand<{ steps: Step[] }, Sequence> {
  readonly #step: Step

  constructor(step: Step) {
    this.#step = step
  }

  check(): boolean {
    return true
  }

  async run(model: { steps: Step[] }, sequence: Sequence): Promise<void> {
    if (!applies(sequence, this.#step)) return
    model.steps.push(this.#step)
    await play(sequence, this.#step)
  }

  toString(): string {
    return writeStep(this.#step)
  }
}

/** Plays random sequences. Returns the played steps of the first that breaks a rule. */
async function search(
  player: Player,
  { adapter, seed, runs = 100, time }: SearchOptions,
): Promise<readonly Step[] | undefined> {
  let broken: readonly Step[] | undefined
  const commands = fc.commands(stepCommands(adapter), { maxCommands: longestSequence, size: 'max' })
  const property = fc.asyncProperty(commands, async (played) => {
    const steps: Step[] = []
    broken = steps
    await player.play(steps, async (sequence) => {
      await fc.asyncModelRun(() => ({ model: { steps }, real: sequence }), played)
    })
  })
  const limit = time === undefined ? {} : { interruptAfterTimeLimit: time }
  const parameters = { seed, numRuns: runs, endOnFailure: true, ...limit }
  const { errorInstance } = await fc.check(property, parameters)
  if (!errorInstance) return undefined
  ignoreViolation(errorInstance)
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
      if (rest.length < steps.length && (await player.breaks(rest))) steps = rest
    }
  }
}

function stepCommands(adapter: Adapter): fc.Arbitrary<StepCommand>[] {
  const { buyers = 2 } = adapter
  const weighted = knownActions(adapter).map(({ name, weight, variants }) => ({
    weight,
    arbitrary: fc
      .record({
        buyer: fc.nat({ max: buyers - 1 }),
        pair: fc.nat({ max: 2 }),
        variant: fc.constantFrom(...variants),
      })
      .map((chosen) => new StepCommand({ action: name, ...chosen })),
  }))
  return [fc.oneof(...weighted)]
}

function ignoreViolation(error: unknown): void {
  if (!(error instanceof Violation)) throw error
}

function notChecked({
  edit,
  finish,
  state,
  fulfilments,
  survivesRestart,
  buyers,
}: Adapter): string[] {
  return [
    ...(edit ? [] : ['orders that are edited (edit)']),
    ...(finish ? [] : ['what the page sends after pi-finish (finish)']),
    ...(state ? [] : ['payments of buyers who do not come back (state)']),
    ...(fulfilments ? [] : ['double fulfilment (fulfilments)']),
    ...(survivesRestart ? [] : ['restarts of the shop (survivesRestart)']),
    ...(buyers === 1 ? ['several buyers (buyers)'] : []),
  ]
}
