/** The rule for a merchant's order identifier. @module */
import { limits } from './spec-decisions.ts'

/** Why an order identifier is invalid. */
export interface OrderIdError {
  readonly code: 'too_short' | 'too_long' | 'forbidden_character'
  /** The rule and its fix, to follow the name of the field. */
  readonly detail: string
}

/**
 * Returns why an order identifier is invalid, or `undefined` if it is valid.
 *
 * Characters are Unicode code points. The text is rejected rather than normalized, so that the response
 * contains exactly what was sent.
 *
 * @see Payment Intents specification, §4.1 and §8: at most 32 characters
 */
export function orderIdError(orderId: string): OrderIdError | undefined {
  if (!orderId.isWellFormed()) {
    return {
      code: 'forbidden_character',
      detail: 'must be well-formed text without lone surrogates',
    }
  }
  if (controlCharacters.test(orderId)) {
    return {
      code: 'forbidden_character',
      detail: 'must not contain control, line-separator, or text-direction characters',
    }
  }
  if (!visible.test(orderId)) {
    return { code: 'too_short', detail: 'must have at least 1 visible character' }
  }
  if (codePoints(orderId) > limits.orderId) {
    const fix = looksLikeUuid.test(orderId) ? '; a UUID has 36: drop its hyphens' : ''
    return { code: 'too_long', detail: `must have at most ${limits.orderId} characters${fix}` }
  }
  return undefined
}

/** Counts Unicode code points, in time linear in the length. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Controls, line and paragraph separators, and characters that change the reading direction (UAX #9). */
export const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

// Anything but spaces, combining marks, and characters that fonts do not show.
const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

const looksLikeUuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
