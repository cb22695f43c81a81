/** Quotes texts in shell commands that are shown to users. @module */

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
