/**
 * Texts as parts of shell commands that are shown for pasting.
 *
 * @module
 */

/** Returns a text as one quoted word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
