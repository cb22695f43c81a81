/** Reads the merchant's appearance by a closed list of tokens. No text of the merchant reaches a style. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import { readColor, schemeOf } from './palette.ts'

interface Token {
  readonly isValid: (value: unknown) => boolean
  readonly rule: string
}

const colorRule =
  'must be # and 3 or 6 hexadecimal digits, or { light, dark } with one such color each'
const schemes: readonly unknown[] = ['auto', 'light', 'dark']

const tokens: Readonly<Record<keyof Appearance, Token>> = {
  colorScheme: {
    isValid: (value) => schemes.includes(value),
    rule: 'must be one of "auto", "light", "dark"',
  },
  accent: { isValid: (value) => readColor(value) !== undefined || isPair(value), rule: colorRule },
  background: {
    isValid: (value) => isPlain(value) || (isPair(value) && Object.values(value).every(isPlain)),
    rule: `${colorRule}, as light as #e7e7e7 or as dark as #343434`,
  },
}

function isPair(value: unknown): value is object {
  const { light, dark, ...others } = Object(value) as Record<string, unknown>
  return [light, dark].every(readColor) && Object.keys(others).length === 0
}

/** Returns whether texts can be read on a color. */
function isPlain(value: unknown): boolean {
  const color = readColor(value)
  return color !== undefined && schemeOf(color) !== undefined
}

/** @returns The valid tokens, and for each other one an error that names token, rule, and fix. */
export function readAppearance(text: string | undefined): {
  readonly appearance: Appearance
  readonly errors: readonly string[]
} {
  const errors: string[] = []
  const appearance: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(Object(parse(text)))) {
    const token = Object.hasOwn(tokens, name) ? tokens[name as keyof Appearance] : undefined
    if (token?.isValid(value)) appearance[name] = value
    else {
      const known = Object.keys(tokens).join(', ')
      const rule = token ? `${token.rule}. The default is used.` : `is not known. Use ${known}.`
      errors.push(`appearance.${name.slice(0, 60)}: ${rule}`)
    }
  }
  // Each value was checked by the rule of its token.
  return { appearance: appearance as Appearance, errors }
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
