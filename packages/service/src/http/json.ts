/** Reads JSON strictly. Rejects texts that parsers may read differently. @see RFC 7493, I-JSON @module */
import { isUtf8 } from 'node:buffer'
import { type FieldError, fieldAt, limits } from '@pi-checkout/contract'
import { ProblemError } from './problem.ts'

/**
 * Beyond syntax errors it rejects duplicate names, numbers that are too long or lose digits, deep nesting,
 * and names that allow prototype pollution. Its time is linear in the size of the text.
 */
export function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ProblemError('invalid_body', 'The body must be UTF-8 text.')
  const text = bytes.toString('utf8')
  const value = parse(text)
  check(text)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of the caught error would quote the body.
    throw new ProblemError(
      'malformed_json',
      text === '' ? 'The body is empty. Send a JSON object.' : 'The body is not well-formed JSON.',
    )
  }
}

interface Level {
  /** Names read so far, or `undefined` in an array. */
  readonly names: Set<string> | undefined
  /** Name or index that is being read. */
  at: string | number
}

/** Checks a text whose syntax `JSON.parse` has accepted. */
function check(text: string): void {
  const levels: Level[] = []
  let expectsName = false
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1)
    switch (text[at]) {
      case '{':
      case '[': {
        if (levels.length === limits.requestDepth) {
          throw new ProblemError(
            'invalid_body',
            `The body must not nest deeper than ${limits.requestDepth} levels.`,
          )
        }
        const isObject = text[at] === '{'
        levels.push({ names: isObject ? new Set() : undefined, at: isObject ? '' : 0 })
        expectsName = isObject
        break
      }
      case '}':
      case ']':
        levels.pop()
        expectsName = false
        break
      case ',':
        if (level?.names) expectsName = true
        else if (level) level.at = Number(level.at) + 1
        break
      case '"': {
        const end = stringEnd(text, at)
        if (expectsName && level?.names) {
          readName(level.names, level, { literal: text.slice(at, end + 1), levels })
          expectsName = false
        }
        at = end
        break
      }
      default:
        if (isNumberStart(text[at] ?? '')) at += numberAt(text, { at, levels }).length - 1
    }
  }
}

function readName(
  names: Set<string>,
  level: Level,
  { literal, levels }: { readonly literal: string; readonly levels: readonly Level[] },
): void {
  const name: string = literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1)
  level.at = name
  if (names.has(name)) {
    throw new ProblemError('invalid_body', 'The body repeats a name in one object.', {
      errors: [fieldError(levels, 'duplicate_name', 'is repeated; send each name once')],
    })
  }
  if (name === '__proto__' || name === 'constructor' || name === 'prototype') {
    throw new ProblemError('validation_failed', 'The body has a name that is not allowed.', {
      errors: [fieldError(levels, 'forbidden_key', 'is not allowed as a name')],
    })
  }
  names.add(name)
}

function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

/** Maximum length in characters. The longest number that JSON.stringify writes has 25. */
const maxNumberLength = 40
const numberPattern = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function isNumberStart(character: string): boolean {
  return character === '-' || (character >= '0' && character <= '9')
}

function numberAt(
  text: string,
  { at, levels }: { readonly at: number; readonly levels: readonly Level[] },
): string {
  numberPattern.lastIndex = at
  const literal = numberPattern.exec(text)?.[0] ?? ''
  if (literal.length > maxNumberLength) {
    throw new ProblemError('validation_failed', 'The body has a number that is too long.', {
      errors: [
        fieldError(levels, 'too_long', `must be a number of at most ${maxNumberLength} characters`),
      ],
    })
  }
  if (losesDigits(literal)) {
    const rule =
      'must be a number that a double represents exactly, such as an integer up to 2^53 - 1'
    throw new ProblemError('validation_failed', 'The body has a number that loses digits.', {
      errors: [fieldError(levels, 'lossy_number', rule)],
    })
  }
  return literal
}

function losesDigits(literal: string): boolean {
  // A double represents 15 digits without loss, and most amounts have fewer.
  if (literal.length <= 15 && !/[eE]/.test(literal)) return false
  const value = Number(literal)
  // A double is never off by a power of ten, so equal digits mean an equal number.
  return !Number.isFinite(value) || significantDigits(literal) !== significantDigits(String(value))
}

/** Returns the digits of a number without zeros at both ends. */
function significantDigits(literal: string): string {
  const digits = literal.replace(/e.*/i, '').replace(/\D/g, '').replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

function fieldError(levels: readonly Level[], code: FieldError['code'], rule: string): FieldError {
  const { pointer, field } = fieldAt(levels.map(({ at }) => at))
  return { pointer, code, detail: `${field} ${rule}` }
}
