/** The page's colors, made from the merchant's with the contrast of WCAG 2.2 AA. Pure. @module */
import { black, type Color, contrast, hexOf, inkOn, mix, white, withContrast } from './color.ts'

/** The merchant's colors. */
export type OwnColors = { readonly [T in 'accent' | 'background' | 'text']?: Color | undefined }

/** The colors of the style sheet from which the others are made. */
export const defaultTokens = ['surface', 'text', 'accent', 'good', 'bad', 'waiting'] as const

/** The style sheet's colors for the current scheme. */
export type DefaultColors = Readonly<Record<(typeof defaultTokens)[number], Color>>

/** WCAG 2.2 AA: for text, and for the borders of fields and buttons. */
const textRatio = 4.5
const borderRatio = 3
/** Contrast of a background to black or white text, so that tinted surfaces have text of `textRatio` too. */
const backgroundRatio = 5.5
const tint = 0.07

/** Returns the page's tokens for the merchant's colors, and what was corrected for readable contrast. */
export function paletteOf(
  own: OwnColors,
  base: DefaultColors,
): {
  readonly colors: Readonly<Record<string, string>>
  readonly corrections: readonly string[]
} {
  const corrections: string[] = []
  const correct = (token: keyof OwnColors, given: Color, limit: Limit): Color => {
    if (contrast(given, limit.on) >= limit.ratio) return given
    const readable = withContrast(given, limit)
    if (own[token]) corrections.push(correctionText(token, { given, readable, ...limit }))
    return readable
  }
  const given = own.background ?? base.surface
  const surface = correct('background', given, { on: inkOn(given), ratio: backgroundRatio })
  const raised = mix(surface, inkOn(surface), 0.04)
  const onBoth = { on: raised, ratio: textRatio }
  const readable = (token: 'text' | 'accent', color: Color): Color =>
    withContrast(correct(token, color, { on: surface, ratio: textRatio }), onBoth)
  const text = readable('text', own.text ?? base.text)
  const button = own.accent ?? base.accent
  const accent = readable('accent', button)
  const onButton =
    contrast(white, button) >= textRatio
      ? white
      : withContrast(mix(button, black, 0.85), { on: button, ratio: textRatio })
  const colors: Record<string, Color> = {
    accent,
    button,
    'on-button': onButton,
    'button-hover': mix(button, onButton === white ? black : white, 0.14),
    'button-line': withContrast(button, { on: surface, ratio: borderRatio }),
  }
  if (own.background || own.text) {
    Object.assign(colors, {
      surface,
      raised,
      text,
      muted: withContrast(mix(text, surface, 0.3), onBoth),
      faint: withContrast(mix(text, surface, 0.45), onBoth),
      line: mix(surface, text, 0.14),
      'line-strong': mix(surface, text, 0.26),
      'field-line': withContrast(mix(surface, text, 0.4), { on: surface, ratio: borderRatio }),
      'quiet-surface': mix(surface, text, tint),
    })
    for (const name of ['good', 'bad', 'waiting'] as const) {
      const tinted = mix(surface, base[name], tint)
      colors[`${name}-surface`] = tinted
      colors[name] = withContrast(withContrast(base[name], { ...onBoth, on: tinted }), onBoth)
    }
  }
  const shown = Object.entries(colors).map(([token, color]) => [token, hexOf(color)])
  return { colors: { ...Object.fromEntries(shown), ring: `${hexOf(accent)}4d` }, corrections }
}

interface Limit {
  readonly on: Color
  readonly ratio: number
}

function correctionText(
  token: keyof OwnColors,
  { given, readable, on, ratio }: Limit & { readonly given: Color; readonly readable: Color },
): string {
  const other =
    token === 'background' ? `${on === white ? 'white' : 'black'} text` : `background ${hexOf(on)}`
  const measured = Math.floor(contrast(given, on) * 10) / 10
  const use = token === 'accent' ? 'links and borders use' : 'the page uses'
  const fix = inkOn(on) === black ? 'darker' : 'lighter'
  return (
    `appearance.${token}: contrast to ${other} must be at least ${ratio}:1; ${hexOf(given)} has ` +
    `${measured}:1, so ${use} ${hexOf(readable)}. Set a ${fix} color.`
  )
}

/** Returns the color scheme that a background belongs to. */
export function schemeOf(background: Color): 'light' | 'dark' {
  return inkOn(background) === black ? 'light' : 'dark'
}
