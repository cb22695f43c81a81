/**
 * One rule for a merchant's order identifier, used by helper and service alike.
 *
 * @module
 */
import { limits } from './open-choices.ts'

/**
 * Tells what is wrong with an order identifier, or `undefined` when nothing is.
 *
 * "Characters" are Unicode code points: `'😀'.length` is 2, yet it is one character. The text is
 * refused rather than normalised, so that the answer carries exactly what was sent.
 *
 * @returns The rule and its fix in words, ready to follow the name of the field.
 * @see Payment Intents specification, §4.1 and §8: at most 32 characters
 */
export function orderIdFault(orderId: string): OrderIdFault | undefined {
  if (orderId === '') return { code: 'too_short', detail: 'must hold at least 1 character' }
  if (!orderId.isWellFormed()) {
    return {
      code: 'forbidden_character',
      detail: 'must be well-formed text without lone surrogates',
    }
  }
  if (forbidden.test(orderId)) {
    return {
      code: 'forbidden_character',
      detail: 'must hold no control, line-separator or text-direction characters',
    }
  }
  if (!visible.test(orderId)) {
    return { code: 'too_short', detail: 'must hold at least 1 visible character' }
  }
  if (codePoints(orderId) > limits.orderId) {
    const uuid = looksLikeUuid.test(orderId)
      ? '; a UUID has 36: drop its hyphens, or use newOrderId() of @pi-checkout/server'
      : ''
    return { code: 'too_long', detail: `must hold at most ${limits.orderId} characters${uuid}` }
  }
  return undefined
}

/** What is wrong, as a code of `FieldError` and in words. */
export interface OrderIdFault {
  readonly code: 'too_short' | 'too_long' | 'forbidden_character'
  readonly detail: string
}

/** Counts Unicode code points, in time bounded by the text's length. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

// Controls, line and paragraph separators, and what turns the reading direction around (UAX #9).
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

// Anything but spaces, marks that need a letter, and characters that a font shows as nothing.
const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

const looksLikeUuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
