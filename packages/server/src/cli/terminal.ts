/** Where a command line writes to. @module */

export interface Terminal {
  /** Writes results to standard output. */
  readonly print: (text: string) => void
  /** Writes everything else to standard error. */
  readonly warn: (text: string) => void
  /** Asks the user of the terminal; `undefined` without a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
}
