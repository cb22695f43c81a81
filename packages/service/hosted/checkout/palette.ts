/**
 * The page's colors, made from the merchant's in sRGB. Those that it makes have the contrast of WCAG 2.2 AA. Pure.
 *
 * @module
 */

/** Red, green, and blue, from 0 to 255. */
export type Color = readonly [number, number, number]

export type OwnColors = { readonly [T in 'accent' | 'background' | 'text']?: Color | undefined }

/** The colors of the style sheet from which the others are made. */
export const defaultTokens = ['surface', 'text', 'accent', 'good', 'bad'] as const

/** The style sheet's colors for the current scheme. */
export type DefaultColors = Readonly<Record<(typeof defaultTokens)[number], Color>>

/** WCAG 2.2 AA: for text, and for the borders of fields and buttons. */
const textRatio = 4.5
const borderRatio = 3
/** Contrast of a background to black or white text, so that tinted surfaces have text of `textRatio` too. */
const backgroundRatio = 5.5
const tint = 0.07

/** Returns the page's tokens for the merchant's colors, which are used as they are. */
export function paletteOf(own: OwnColors, base: DefaultColors): Readonly<Record<string, string>> {
  const surface = own.background ?? base.surface
  const raised = mix(surface, inkOn(surface), 0.04)
  const onRaised = { on: raised, ratio: textRatio }
  const onSurface = { on: surface, ratio: borderRatio }
  const text = own.text ?? withContrast(base.text, onRaised)
  const accent = own.accent ?? withContrast(base.accent, onRaised)
  const button = own.accent ?? base.accent
  const onButton =
    contrast(white, button) >= textRatio
      ? white
      : withContrast(mix(button, black, 0.85), { on: button, ratio: textRatio })
  const colors: Record<string, Color> = {
    accent,
    button,
    'on-button': onButton,
    'button-hover': mix(button, onButton === white ? black : white, 0.14),
    'button-line': withContrast(button, onSurface),
  }
  if (own.background || own.text) {
    Object.assign(colors, {
      ground: mix(surface, black, inkOn(surface) === black ? 0.04 : 0.3),
      surface,
      raised,
      text,
      muted: withContrast(mix(text, surface, 0.3), onRaised),
      faint: withContrast(mix(text, surface, 0.45), onRaised),
      line: mix(surface, text, 0.14),
      'line-strong': mix(surface, text, 0.26),
      'field-line': withContrast(mix(surface, text, 0.4), onSurface),
      'quiet-surface': mix(surface, text, tint),
    })
    for (const name of ['good', 'bad'] as const) {
      const tinted = mix(surface, base[name], tint)
      colors[`${name}-surface`] = tinted
      colors[name] = withContrast(withContrast(base[name], { ...onRaised, on: tinted }), onRaised)
    }
  }
  const shown = Object.entries(colors).map(([token, color]) => [token, hexOf(color)])
  return { ...Object.fromEntries(shown), ring: `${hexOf(accent)}4d` }
}

/** Returns a warning for each of the merchant's colors whose contrast is below WCAG 2.2 AA. */
export function contrastWarnings(own: OwnColors, base: DefaultColors): readonly string[] {
  const surface = own.background ?? base.surface
  const warnings: string[] = []
  const check = (token: keyof OwnColors, on: Color, ratio: number): void => {
    const color = own[token]
    if (!color || contrast(color, on) >= ratio) return
    const other = token === 'background' ? 'text' : 'background'
    const measured = Math.floor(contrast(color, on) * 10) / 10
    const fix = inkOn(on) === black ? 'darker' : 'lighter'
    warnings.push(
      `appearance.${token}: contrast to ${other} ${hexOf(on)} must be at least ${ratio}:1; ` +
        `${hexOf(color)} has ${measured}:1. Set a ${fix} color.`,
    )
  }
  check('background', inkOn(surface), backgroundRatio)
  check('text', surface, textRatio)
  check('accent', surface, textRatio)
  return warnings
}

export function schemeOf(background: Color): 'light' | 'dark' {
  return inkOn(background) === black ? 'light' : 'dark'
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

/** Returns black or white: the one with more contrast, which is at least 4.58. */
function inkOn(color: Color): Color {
  return contrast(black, color) > contrast(white, color) ? black : white
}

/** Returns the color, or the nearest mixture with black or white that has a contrast of `ratio`. */
function withContrast(
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
