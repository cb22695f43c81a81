/** Plays sequences one after another. The shop of the next one starts while one is played. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import { describeStep, play, readStep, type Step, writeStep } from './actions.ts'
import { playEnd } from './ending.ts'
import { SetupError, TimeOver } from './errors.ts'
import type { Event, Log } from './events.ts'
import type { ExploreOptions, FoundViolation, RecordedRequest } from './exploration.ts'
import type { Ledger } from './ledger.ts'
import { rules, type Violation, violationIn } from './rules.ts'
import { Sequence } from './sequence.ts'
import { freePort, Shop } from './shop.ts'

interface PlayerOptions extends Required<Pick<ExploreOptions, 'command' | 'adapter' | 'service'>> {
  /** When the search ends: a value of `performance.now()`. */
  readonly endsAt: number
  /** Whether the shop of the next sequence starts while one is played. */
  readonly startsAhead: boolean
}

/** Returns the step to play, or `undefined` to leave it out. */
export type Fit = (step: Step, ledger: Ledger) => Step | undefined

export class Player {
  sequences = 0
  /** How often each action was played. */
  readonly actions: Record<string, number> = {}
  readonly #options: PlayerOptions
  #next: Promise<Sequence | undefined> | undefined
  #startsAhead: boolean
  /** Whether a page has got a handoff: else every sequence is in vain. */
  #hasHandoff = false

  constructor(options: PlayerOptions) {
    this.#options = options
    this.#startsAhead = options.startsAhead
  }

  /**
   * Plays steps and the end of the sequence.
   *
   * @returns The violation, if there is one.
   * @throws {TimeOver} If the search has to end.
   */
  async play(steps: readonly Step[], fit: Fit): Promise<FoundViolation | undefined> {
    if (performance.now() > this.#options.endsAt) throw new TimeOver()
    const sequence = (await this.#next) ?? (await this.#begin())
    this.#next = this.#startsAhead ? this.#beginAhead() : undefined
    try {
      const violation = await this.#judge(sequence, steps, fit)
      this.sequences++
      return violation && found(violation, sequence.log)
    } finally {
      await sequence.end()
    }
  }

  async #judge(
    sequence: Sequence,
    steps: readonly Step[],
    fit: Fit,
  ): Promise<Violation | undefined> {
    try {
      for (const step of steps) {
        const fitting = fit(step, sequence.ledger)
        if (!fitting) continue
        sequence.checkTime()
        this.actions[fitting.action] = (this.actions[fitting.action] ?? 0) + 1
        await play(fitting, sequence)
        sequence.hasExited()
        const violation = violationIn(sequence.log)
        if (violation) return violation
      }
      const violation = await playEnd(sequence)
      if (!violation && !this.#hasHandoff) await expectHandoff(sequence)
      this.#hasHandoff = true
      return violation
    } catch (error) {
      // A request that was aborted at the end proves nothing.
      if (performance.now() > this.#options.endsAt) throw new TimeOver()
      // A request of the adapter fails if the shop exits in the meantime.
      await sleep(200)
      if (error instanceof SetupError || !sequence.hasExited()) throw error
      return violationIn(sequence.log)
    }
  }

  async end(): Promise<void> {
    await (await this.#next)?.end()
  }

  async #begin(): Promise<Sequence> {
    const { command, service, adapter, endsAt } = this.#options
    const shops: Shop[] = []
    while (shops.length < (adapter.instances ?? 1)) {
      shops.push(new Shop({ command, url: `http://localhost:${await freePort()}`, endsAt }))
    }
    return await Sequence.begin({ shops, service, adapter, endsAt })
  }

  /** Two shops may not run at the same time, if they share a database. */
  async #beginAhead(): Promise<Sequence | undefined> {
    try {
      return await this.#begin()
    } catch {
      this.#startsAhead = false
      return undefined
    }
  }
}

/** @throws {SetupError} If no page of a sequence gets a handoff. */
async function expectHandoff(sequence: Sequence): Promise<void> {
  const [buyer = ''] = sequence.buyers
  if (sequence.ledger.handoffs.length > 0) return
  await sequence.open(buyer)
  await sequence.handoff(buyer)
  const last = sequence.log.events.at(-1)
  if (last?.type !== 'no-handoff') return
  throw new SetupError(
    `The handoff returned ${last.status || 'no response'} and no { id, clientSecret }. Describe your routes in an adapter: --adapter FILE.\n${sequence.lines.join('\n')}`,
  )
}

function found({ rule, detail }: Violation, { events }: Log): FoundViolation {
  const steps = events.flatMap((event) => (event.type === 'step' ? [readStep(event.step)] : []))
  return {
    rule,
    title: rules[rule],
    detail,
    steps: steps.map(describeStep),
    requests: requestsIn(events),
    replay: steps.map(writeStep).join(' '),
  }
}

/** Returns the requests of the buyers. The same response in a row is one entry. */
function requestsIn(events: readonly Event[]): readonly RecordedRequest[] {
  const requests: RecordedRequest[] = []
  for (const event of events) {
    if (event.type !== 'response' || !event.isOfBuyer) continue
    const { buyer, method, path, status } = event
    const last = requests.at(-1)
    const isSame =
      last?.buyer === buyer &&
      last.method === method &&
      last.path === path &&
      last.status === status
    if (isSame) requests.pop()
    requests.push({ buyer, method, path, status, times: isSame ? last.times + 1 : 1 })
  }
  return requests
}
