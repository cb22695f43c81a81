/** Plays sequences one after another, and keeps the shortest that broke a rule. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import { applies, describeStep, play, type Step, writeStep } from './actions.ts'
import type { ExploreOptions, FoundViolation } from './exploration.ts'
import { FinalCheck } from './final-check.ts'
import { Sequence } from './sequence.ts'
import { freePort, Shop } from './shop.ts'
import { rules, SetupError, TimeOver, Violation } from './violation.ts'

/** The options of a search with their defaults. */
interface PlayerOptions
  extends Required<Pick<ExploreOptions, 'command' | 'adapter' | 'cwd' | 'service' | 'runs'>>,
    Pick<ExploreOptions, 'shop' | 'onSequence'> {
  /** When the search ends: a value of `performance.now()`. */
  readonly endsAt: number
}

export class Player {
  sequences = 0
  violation: FoundViolation | undefined
  /** How often each action was played. */
  readonly actions: Record<string, number> = {}
  readonly #options: PlayerOptions
  /** The next sequence, whose shop starts while this one is played. */
  #next: Promise<Sequence | undefined> | undefined
  #startsAhead: boolean
  /** Whether a page has got a handoff: else every sequence is in vain. */
  #hasHandoff = false

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#startsAhead = options.shop === undefined
  }

  get isOver(): boolean {
    return performance.now() > this.#options.endsAt
  }

  async step(sequence: Sequence, step: Step): Promise<void> {
    sequence.checkTime()
    this.actions[step.action] = (this.actions[step.action] ?? 0) + 1
    await play(sequence, step)
  }

  /** Plays a sequence. Returns whether it breaks a rule. */
  async breaks(steps: readonly Step[]): Promise<boolean> {
    try {
      await this.play(steps, async (sequence) => {
        for (const step of steps) if (applies(sequence, step)) await this.step(sequence, step)
      })
      return false
    } catch (error) {
      if (error instanceof TimeOver) return false
      if (!(error instanceof Violation)) throw error
      return true
    }
  }

  /**
   * Begins a sequence, lets `act` play its steps, and closes it.
   *
   * @throws {Violation} If the sequence breaks a rule.
   */
  async play(steps: readonly Step[], act: (sequence: Sequence) => Promise<void>): Promise<void> {
    const sequence = (await this.#next) ?? (await this.#begin())
    const isLast = !this.violation && this.sequences + 1 >= this.#options.runs
    this.#next = this.#startsAhead && !isLast ? this.#beginAhead() : undefined
    try {
      await act(sequence)
      await new FinalCheck(sequence).run()
      if (!this.#hasHandoff) await expectHandoff(sequence)
      this.#hasHandoff = true
      this.#count()
    } catch (cause) {
      // A request that was aborted at the end proves nothing.
      if (this.isOver && !(cause instanceof Violation)) throw new TimeOver()
      const error = await explain(cause, sequence)
      if (error instanceof Violation) {
        this.#count()
        this.#keep(error, steps, sequence)
      }
      throw error
    } finally {
      await sequence.end()
    }
  }

  #count(): void {
    this.sequences++
    this.#options.onSequence?.(this.sequences)
  }

  async end(): Promise<void> {
    await (await this.#next)?.end()
  }

  async #begin(): Promise<Sequence> {
    const { command, cwd, service, adapter, endsAt } = this.#options
    const shops: Shop[] = []
    while (shops.length < (adapter.instances ?? 1)) {
      const url = this.#options.shop ?? `http://localhost:${await freePort()}`
      shops.push(new Shop({ command, cwd, url, endsAt }))
    }
    return await Sequence.begin({ shops, service, adapter, endsAt })
  }

  /** Two shops may not run at the same time, if they share a port or a database. */
  async #beginAhead(): Promise<Sequence | undefined> {
    try {
      return await this.#begin()
    } catch {
      this.#startsAhead = false
      return undefined
    }
  }

  #keep({ rule, message: detail }: Violation, steps: readonly Step[], sequence: Sequence): void {
    if (this.violation && this.violation.steps.length < steps.length) return
    const replay = steps.map(writeStep).join(' ')
    const shown = { steps: steps.map(describeStep), requests: [...sequence.requests], replay }
    this.violation = { rule, title: rules[rule], detail, ...shown }
  }
}

/** @throws {SetupError} If no page of a sequence gets a handoff. */
async function expectHandoff(sequence: Sequence): Promise<void> {
  const [buyer] = sequence.buyers
  if (!buyer || sequence.pairs.length > 0) return
  await sequence.open(buyer)
  const response = await sequence.handoff(buyer)
  if (sequence.pairs.length > 0) return
  const shown = response.type === 'error' ? 'no response' : response.status
  throw new SetupError(
    `The handoff returned ${shown} and no { id, clientSecret }. Describe your routes in an adapter: --adapter FILE.\n${sequence.lines.join('\n')}`,
  )
}

/** A request of the adapter fails if the shop exits in the meantime. Returns that violation, or the error. */
async function explain(error: unknown, sequence: Sequence): Promise<unknown> {
  if (error instanceof Violation || error instanceof TimeOver) return error
  await sleep(200)
  try {
    sequence.checkRunning()
  } catch (violation) {
    return violation
  }
  return error
}
