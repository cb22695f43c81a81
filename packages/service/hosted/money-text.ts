/**
 * Money as this machine can show it: the dram sign is missing in many fonts, and an empty box is no
 * amount.
 *
 * @module
 */
import { type Currency, formatMoney } from '@pi-checkout/contract/money'

/** Formats minor units; where no font has the dram sign, the code stands in its place. */
export function moneyText(amount: number, currency: Currency, locale: string): string {
  return readableMoney(formatMoney(amount, currency, locale))
}

/** Replaces a dram sign that would show as an empty box: `֏1,500` becomes `AMD 1,500`. */
export function readableMoney(text: string): string {
  if (!text.includes(dram) || hasDram()) return text
  return text.replace(dram, text.startsWith(dram) ? 'AMD\u00a0' : 'AMD')
}

const dram = '֏'
let known: boolean | undefined

/** A sign without a glyph is as wide as a character that can have none. */
function hasDram(): boolean {
  if (known !== undefined) return known
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) return true
  pen.font = `64px ${getComputedStyle(document.documentElement).fontFamily}`
  known = pen.measureText(dram).width !== pen.measureText('\u{10fffd}').width
  return known
}
