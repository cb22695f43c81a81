/** Amounts in characters that the browser's fonts have: many lack the dram sign. @module */
import { type Currency, formatMoney } from '@pi-checkout/contract/money'

/** Formats minor units, with the code `AMD` if no font has the dram sign. */
export function moneyText(amount: number, currency: Currency, locale: string): string {
  return readableMoney(formatMoney(amount, currency, locale))
}

/** Replaces a dram sign that no font has: `֏1,500` becomes `AMD 1,500`. */
export function readableMoney(text: string): string {
  if (!text.includes(dram) || hasDram()) return text
  return text.replace(dram, text.startsWith(dram) ? 'AMD\u00a0' : 'AMD')
}

const dram = '֏'
let cached: boolean | undefined

/** A character without a glyph is as wide as one that cannot have a glyph. */
function hasDram(): boolean {
  if (cached !== undefined) return cached
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) return true
  pen.font = `64px ${getComputedStyle(document.documentElement).fontFamily}`
  cached = pen.measureText(dram).width !== pen.measureText('\u{10fffd}').width
  return cached
}
