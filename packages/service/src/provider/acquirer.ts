/**
 * The simulated acquirer: a pure decision from a card to an outcome, and the texts for a decline.
 *
 * It stores nothing. A number and a security code exist only in the arguments of one call.
 *
 * @module
 */
import type { CardDetails, CardSummary } from '../../shared/checkout-api.ts'
import { type CardOutcome, type Decline, findTestCard } from './test-cards.ts'

/** What the acquirer makes of a card: a summary that is safe to keep, and what happens next. */
export interface Authorization {
  readonly summary: CardSummary
  readonly outcome: CardOutcome
}

/** A decline as a payment failure, in words that the buyer may read. */
export interface DeclineReport {
  readonly code: string
  readonly declineCode: string | null
  /** Written for the buyer, in English. */
  readonly message: string
}

/**
 * Asks the acquirer for a card.
 *
 * @returns `undefined` when the number is not one of the test cards: nothing of it was read.
 */
export function authorize(card: CardDetails): Authorization | undefined {
  const known = findTestCard(card.number)
  if (!known) return undefined
  const { expMonth, expYear } = card
  const summary = {
    brand: known.brand,
    last4: known.number.slice(-4),
    expMonth,
    expYear,
    funding: 'credit',
  }
  return { summary, outcome: known.outcome }
}

/**
 * Words a decline for the buyer.
 *
 * A lost or stolen card reads as a plain decline: its holder must not learn that it is known.
 */
export function describeDecline({ decline }: { readonly decline: Decline }): DeclineReport {
  return reports[decline]
}

const plain = {
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined. Try another card, or ask your bank.',
}

const reports: Readonly<Record<Decline, DeclineReport>> = {
  generic_decline: plain,
  lost_card: plain,
  stolen_card: plain,
  insufficient_funds: {
    code: 'card_declined',
    declineCode: 'insufficient_funds',
    message: 'There is not enough money on this card. Try another card.',
  },
  expired_card: {
    code: 'expired_card',
    declineCode: null,
    message: 'This card has expired. Check the date or try another card.',
  },
  incorrect_cvc: {
    code: 'incorrect_cvc',
    declineCode: null,
    message: 'The security code is wrong. Check it and try again.',
  },
  processing_error: {
    code: 'processing_error',
    declineCode: null,
    message: 'The bank could not process the card just now. Try again in a moment.',
  },
  authentication_unavailable: {
    code: 'authentication_unavailable',
    declineCode: null,
    message: 'Your bank could not confirm the payment just now. Try another card.',
  },
}
