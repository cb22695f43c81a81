/**
 * Texts as parts of a command that a person pastes.
 *
 * @module
 */

/** Returns a text as one word of a POSIX shell: nothing in it is read as anything else. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
