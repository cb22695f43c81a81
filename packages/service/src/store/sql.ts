/** Statements as data: one text for both stores. @module */

/** Times are milliseconds, JSON is text, and flags are 0 and 1. */
export type SqlValue = string | number | null

export interface Statement {
  /**
   * Under this name a connection prepares a statement of at most one row, and the driver of PostgreSQL knows how several
   * run as one. Often empty.
   */
  readonly name: string
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Constant SQL, such as a list of columns. It must not contain input. */
export class Fragment {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Tag = (text: TemplateStringsArray, ...values: readonly (SqlValue | Fragment)[]) => Statement

/** Returns a statement. @throws {TypeError} If a value would fail in a statement that it shares with others. */
export const sql: Tag = named('')

/** Returns the tag of a statement that runs often and returns at most one row, under this name. */
export function named(name: string): Tag {
  return (template, ...values) => {
    let text = template[0] ?? ''
    const bound: SqlValue[] = []
    values.forEach((value, at) => {
      if (value instanceof Fragment) text += value.text
      else text += `$${bound.push(checked(value))}`
      text += template[at + 1] ?? ''
    })
    return { name, text, values: bound }
  }
}

/**
 * libsql ends the process for a boolean and cuts a text at a NUL, which PostgreSQL rejects. Both stores would change
 * an integer above 2^53.
 */
function checked(value: unknown): SqlValue {
  if (value === null || Number.isSafeInteger(value)) return value as number | null
  if (typeof value === 'string' && !value.includes('\0')) return value
  const rule = 'a text without U+0000, an integer of at most 2^53 - 1, or null'
  throw new TypeError(`A value of a statement must be ${rule}; received ${typeof value}.`)
}
