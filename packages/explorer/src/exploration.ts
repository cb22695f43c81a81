/** Options and result of `explore()`. @module */
import type { Adapter } from './adapter.ts'
import type { Rule } from './rules.ts'

/** Options of `explore()`. */
export interface ExploreOptions {
  /** Program and arguments of the shop, such as `['node', 'shop.mjs']`. */
  readonly command: readonly string[]
  /**
   * How the shop differs from `createCheckout()` under `/checkout`.
   * @default none
   */
  readonly adapter?: Adapter
  /**
   * Number of sequences.
   * @default 100
   */
  readonly runs?: number
  /**
   * Milliseconds after which the search ends, also while it makes a violation shorter.
   * @default no limit
   */
  readonly time?: number
  /**
   * One sequence instead of a search, as a violation prints it.
   * @default none
   */
  readonly replay?: string
  /**
   * Called after each sequence.
   * @default nothing
   */
  readonly onProgress?: (progress: Pick<Exploration, 'sequences' | 'violation'>) => void
}

/** A violation and the shortest sequence that leads to it. */
export interface FoundViolation {
  readonly rule: Rule
  /** What the rule means. */
  readonly title: string
  /** What happened, and how to correct it. */
  readonly detail: string
  /** The actions, for people. A buyer loads the page first. In the end, buyers pay what they hold and come back. */
  readonly steps: readonly string[]
  /** Value of `replay`. */
  readonly replay: string
}

/** Result of `explore()`. */
export interface Exploration {
  /** Number of played sequences, those included that made a violation shorter. */
  readonly sequences: number
  /** `undefined` if the shop was right in every sequence. */
  readonly violation: FoundViolation | undefined
  /** What needs a part that the adapter does not have. */
  readonly notChecked: readonly string[]
}
