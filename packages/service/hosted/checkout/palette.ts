/**
 * The page's colors, made from the merchant's in sRGB. They have the contrast of WCAG 2.2 AA. Pure.
 *
 * @module
 */

/** Red, green, and blue, from 0 to 255. */
export type Color = readonly [number, number, number]

export type OwnColors = { readonly [T in 'accent' | 'background']?: Color | undefined }

/** The colors of the style sheet from which the others are made. */
export const defaultTokens = ['surface', 'text', 'muted', 'accent'] as const

/** The style sheet's colors for the current scheme. */
export type DefaultColors = Readonly<Record<(typeof defaultTokens)[number], Color>>

/** Returns the page's tokens for the merchant's colors, which are used as they are. */
export function paletteOf(own: OwnColors, base: DefaultColors): Readonly<Record<string, string>> {
  const surface = own.background ?? base.surface
  const button = own.accent ?? base.accent
  const ink = schemeOf(surface) === 'light' ? black : white
  const raised = mix(surface, ink, 0.04)
  // Links and the focus ring need more contrast than the button, whose text is black or white.
  const accent = contrast(button, raised) >= textRatio ? button : base.text
  const onButton = contrast(white, button) >= textRatio ? white : black
  const colors: Record<string, Color> = {
    accent,
    button,
    'on-button': onButton,
    'button-hover': mix(button, onButton === white ? black : white, 0.14),
    'button-line': contrast(button, surface) >= borderRatio ? button : base.text,
  }
  if (own.background) {
    Object.assign(colors, {
      ground: raised,
      surface,
      raised,
      line: mix(surface, ink, 0.14),
      'field-line': base.muted,
      'good-surface': raised,
      'bad-surface': raised,
    })
  }
  const shown = Object.entries(colors).map(([token, color]) => [token, hexOf(color)])
  return { ...Object.fromEntries(shown), ring: `${hexOf(accent)}4d` }
}

/** WCAG 2.2 AA: for text, and for the borders of fields and buttons. */
const textRatio = 4.5
const borderRatio = 3

/**
 * Returns the scheme whose texts can be read on a background, or `undefined`, as for a medium gray. The limits are the
 * luminance of #e7e7e7 and #343434.
 */
export function schemeOf(background: Color): 'light' | 'dark' | undefined {
  const light = luminance(background)
  return light >= 0.795 ? 'light' : light <= 0.035 ? 'dark' : undefined
}

export const black: Color = [0, 0, 0]
const white: Color = [255, 255, 255]

/** Reads `#` with three or six hexadecimal digits. */
export function readColor(text: unknown): Color | undefined {
  if (typeof text !== 'string' || !/^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(text)) return undefined
  const digits = text.length === 4 ? text.replace(/[\da-f]/gi, '$&$&') : text
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
  return [red ?? 0, green ?? 0, blue ?? 0]
}

/** Returns `#` and six hexadecimal digits. */
function hexOf(color: Color): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** Returns the contrast of two colors, from 1 to 21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(one: Color, other: Color): number {
  const [first, second] = [luminance(one), luminance(other)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** @param share - Share of `other`, from 0 to 1. */
function mix(color: Color, other: Color, share: number): Color {
  const part = (index: 0 | 1 | 2): number =>
    Math.round(color[index] * (1 - share) + other[index] * share)
  return [part(0), part(1), part(2)]
}
