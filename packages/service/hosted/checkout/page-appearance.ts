/** Sets the merchant's appearance as custom properties of the document. @module */
import type { Appearance, AppearanceColor } from '@pi-checkout/contract/frame-protocol'
import {
  black,
  type Color,
  type DefaultColors,
  defaultTokens,
  paletteOf,
  readColor,
  schemeOf,
} from './palette.ts'
import { readAppearance } from './read-appearance.ts'
import { report } from './report.ts'

/** Sets the appearance of this document, and follows the buyer's color scheme. */
export class PageAppearance {
  #appearance: Appearance = {}
  /** What the page has sent. */
  #text: string | undefined | null = null
  readonly #darkScheme = matchMedia('(prefers-color-scheme: dark)')

  constructor() {
    this.#darkScheme.addEventListener('change', () => this.#apply())
  }

  /** @param text - JSON of the merchant's page. */
  set(text: string | undefined): void {
    if (text === this.#text) return
    this.#text = text
    const { appearance, errors } = readAppearance(text)
    this.#appearance = appearance
    for (const error of errors) report(error)
    this.#apply()
  }

  #apply(): void {
    const { colorScheme = 'auto' } = this.#appearance
    const isDark = colorScheme === 'auto' ? this.#darkScheme.matches : colorScheme === 'dark'
    const colorOf = (value: AppearanceColor | undefined): Color | undefined =>
      readColor(typeof value === 'object' ? value[isDark ? 'dark' : 'light'] : value)
    const accent = colorOf(this.#appearance.accent)
    const background = colorOf(this.#appearance.background)
    const { dataset, style } = document.documentElement
    dataset.scheme = (background && schemeOf(background)) ?? colorScheme
    document.documentElement.removeAttribute('style')
    if (!accent && !background) return
    const palette = paletteOf({ accent, background }, defaultColors())
    for (const [token, color] of Object.entries(palette)) style.setProperty(`--${token}`, color)
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
