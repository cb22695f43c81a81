/** Reads the merchant's appearance by a closed list of tokens. No text of the merchant reaches a style. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import { readColor } from './palette.ts'

type Looks<T extends 'font' | 'density'> = Readonly<
  Record<NonNullable<Appearance[T]>, Readonly<Record<string, string>>>
>

interface Token {
  readonly isValid: (value: unknown) => boolean
  readonly rule: string
}

const color: Token = {
  isValid: (value) => readColor(value) !== undefined || isPair(value),
  rule: 'must be # and 3 or 6 hexadecimal digits, or { light, dark } with one such color each',
}

/** Custom properties for each font and density. */
export const fonts: Looks<'font'> = {
  system: {},
  humanist: {
    font: 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", "Noto Sans Armenian", sans-serif',
  },
  geometric: {
    font: 'Avenir, Montserrat, Corbel, "URW Gothic", "Noto Sans Armenian", sans-serif',
  },
  rounded: {
    font: 'ui-rounded, "Hiragino Maru Gothic ProN", Quicksand, Comfortaa, "Arial Rounded MT Bold", Calibri, "Noto Sans Armenian", sans-serif',
  },
  serif: {
    font: 'Charter, "Bitstream Charter", "Sitka Text", Cambria, "Noto Serif", "Noto Serif Armenian", Sylfaen, serif',
  },
}
export const densities: Looks<'density'> = {
  compact: { density: '0.65' },
  regular: {},
  spacious: { density: '1.5', 'field-size': '3.25rem' },
}

const tokens: Readonly<Record<keyof Appearance, Token>> = {
  colorScheme: oneOf('auto', 'light', 'dark'),
  accent: color,
  background: color,
  text: color,
  radius: {
    isValid: (value) => typeof value === 'number' && value >= 0 && value <= 24,
    rule: 'must be a number of pixels from 0 to 24',
  },
  font: oneOf(...Object.keys(fonts)),
  density: oneOf(...Object.keys(densities)),
}

function oneOf(...values: readonly string[]): Token {
  const names = values.map((value) => JSON.stringify(value)).join(', ')
  return { isValid: (value) => values.includes(value as string), rule: `must be one of ${names}` }
}

function isPair(value: unknown): boolean {
  const { light, dark, ...others } = Object(value) as Record<string, unknown>
  return [light, dark].every(readColor) && Object.keys(others).length === 0
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
