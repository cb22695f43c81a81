/** The rule for a merchant's name. @module */
import { controlCharacters } from '@pi-checkout/contract'

/** Returns whether a name has 1 to 128 characters, and none that controls a terminal or the direction of text. */
export function isMerchantName(name: string): boolean {
  return name.length > 0 && name.length <= 128 && !controlCharacters.test(name)
}
