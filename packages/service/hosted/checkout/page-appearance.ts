/** Sets the merchant's appearance as custom properties of the document. @module */
import type { Appearance, AppearanceColor } from '@pi-checkout/contract/frame-protocol'
import { report } from './help.ts'
import {
  black,
  type Color,
  contrastWarnings,
  type DefaultColors,
  defaultTokens,
  paletteOf,
  readColor,
  schemeOf,
} from './palette.ts'
import { densities, fonts, readAppearance } from './read-appearance.ts'

/** Sets the appearance of this document, and follows the buyer's color scheme. */
export class PageAppearance {
  #appearance: Appearance = {}
  readonly #darkScheme = matchMedia('(prefers-color-scheme: dark)')

  constructor() {
    this.#darkScheme.addEventListener('change', () => this.#apply())
  }

  /** @param text - JSON of the merchant's page. */
  set(text: string | undefined): void {
    const { appearance, errors } = readAppearance(text)
    this.#appearance = appearance
    for (const error of errors) report('error', `pi-checkout: ${error}`)
    this.#apply()
  }

  #apply(): void {
    const { colorScheme = 'auto', font = 'system', density = 'regular', radius } = this.#appearance
    const isDark = colorScheme === 'auto' ? this.#darkScheme.matches : colorScheme === 'dark'
    const colorOf = (value: AppearanceColor | undefined): Color | undefined =>
      readColor(typeof value === 'object' ? value[isDark ? 'dark' : 'light'] : value)
    const { accent, background, text } = this.#appearance
    const own = { accent: colorOf(accent), background: colorOf(background), text: colorOf(text) }
    const scheme = own.background ? schemeOf(own.background) : colorScheme
    const { dataset, style } = document.documentElement
    dataset.scheme = scheme
    document.documentElement.removeAttribute('style')
    const set = (values: Readonly<Record<string, string>>): void => {
      for (const [token, value] of Object.entries(values)) style.setProperty(`--${token}`, value)
    }
    set({ ...fonts[font], ...densities[density] })
    if (radius !== undefined) set({ radius: `${radius}px` })
    if (!Object.values(own).some(Boolean)) return
    const base = defaultColors()
    set(paletteOf(own, base))
    for (const warning of contrastWarnings(own, base)) report('warn', `pi-checkout: ${warning}`)
  }
}

function defaultColors(): DefaultColors {
  const style = getComputedStyle(document.documentElement)
  const entries = defaultTokens.map((name) => [
    name,
    readColor(style.getPropertyValue(`--${name}`).trim()) ?? black,
  ])
  return Object.fromEntries(entries) as DefaultColors
}
