/**
 * What a command has of the outside.
 *
 * @module
 */

/** Where a command writes, and how. */
export interface Terminal {
  /** Results: standard output. */
  readonly print: (text: string) => void
  /** Everything else: standard error. */
  readonly warn: (text: string) => void
  /** Whether one line of JSON was asked for. */
  readonly json: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** Runs with its arguments and returns the exit code. */
export type Command = (args: string[], terminal: Terminal) => Promise<number>
