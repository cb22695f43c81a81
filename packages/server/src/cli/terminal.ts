/** Where a command line writes to, and in which colors. @module */
import { styleText } from 'node:util'

export interface Terminal {
  /** Writes results to standard output. */
  readonly print: (text: string) => void
  /** Writes everything else to standard error. */
  readonly warn: (text: string) => void
  /** @default false */
  readonly hasColors?: boolean
  /** Asks the user of the terminal; `undefined` without a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
}

const colors = { OK: 'green', FAIL: 'red', SKIP: 'yellow' } as const

/** Returns the word of a result, as wide as the widest. */
export function colored(
  result: keyof typeof colors,
  { hasColors = false }: Pick<Terminal, 'hasColors'>,
): string {
  const word = result.padEnd(4)
  return hasColors ? styleText(colors[result], word) : word
}
