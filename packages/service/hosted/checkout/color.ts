/** sRGB colors: contrast by WCAG 2.2, and mixtures that reach a contrast. Pure. @module */

/** Red, green, and blue, from 0 to 255. */
export type Color = readonly [number, number, number]

export const black: Color = [0, 0, 0]
export const white: Color = [255, 255, 255]

/** Reads `#` with three or six hexadecimal digits. */
export function readColor(text: unknown): Color | undefined {
  if (typeof text !== 'string' || !/^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(text)) return undefined
  const digits = text.length === 4 ? text.replace(/[\da-f]/gi, '$&$&') : text
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
  return [red ?? 0, green ?? 0, blue ?? 0]
}

/** Returns `#` and six hexadecimal digits. */
export function hexOf(color: Color): string {
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
export function mix(color: Color, other: Color, share: number): Color {
  const part = (index: 0 | 1 | 2): number =>
    Math.round(color[index] * (1 - share) + other[index] * share)
  return [part(0), part(1), part(2)]
}

/** Returns black or white: the one with more contrast, which is at least 4.58. */
export function inkOn(color: Color): Color {
  return contrast(black, color) > contrast(white, color) ? black : white
}

/** Returns the color, or the nearest mixture with black or white that has a contrast of `ratio`. */
export function withContrast(
  color: Color,
  { on, ratio }: { readonly on: Color; readonly ratio: number },
): Color {
  if (contrast(color, on) >= ratio) return color
  const ink = inkOn(on)
  let [tooLittle, enough] = [0, 1]
  while (enough - tooLittle > 0.02) {
    const share = (tooLittle + enough) / 2
    if (contrast(mix(color, ink, share), on) >= ratio) enough = share
    else tooLittle = share
  }
  return mix(color, ink, enough)
}
