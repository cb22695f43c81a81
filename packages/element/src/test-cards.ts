/**
 * The sandbox's test cards: what a buyer does with each, and how the payment ends. No DOM here.
 *
 * @module
 */
import { challengeCodes, testCards } from '@pi-checkout/contract/sandbox'

/** One way through the form. */
export interface Plan {
  /** Number of the test card; without one the buyer cancels. */
  readonly card?: string
  /** Code for the issuer's challenge, or `cancel`. */
  readonly bank?: string
  /** The issuer refuses framing: its page takes the whole window. */
  readonly redirects?: true
  /** `declined`: the form comes back with a reason, for another try. */
  readonly ends: 'paid' | 'declined' | 'failed' | 'processing'
}

const { passes, denied, bankError } = challengeCodes

/** By what it brings about. */
export const plans = {
  success: { card: testCards.visa, ends: 'paid' },
  declined: { card: testCards.declined, ends: 'declined' },
  'insufficient-funds': { card: testCards['insufficient-funds'], ends: 'declined' },
  lost: { card: testCards.lost, ends: 'declined' },
  stolen: { card: testCards.stolen, ends: 'failed' },
  expired: { card: testCards.expired, ends: 'declined' },
  'wrong-cvc': { card: testCards['wrong-cvc'], ends: 'declined' },
  'processing-error': { card: testCards['processing-error'], ends: 'declined' },
  challenge: { card: testCards.challenge, bank: passes, ends: 'paid' },
  'challenge-denied': { card: testCards.challenge, bank: denied, ends: 'declined' },
  'challenge-error': { card: testCards.challenge, bank: bankError, ends: 'declined' },
  'challenge-canceled': { card: testCards.challenge, bank: 'cancel', ends: 'declined' },
  'challenge-declined': { card: testCards['challenge-declined'], bank: passes, ends: 'declined' },
  'challenge-insufficient-funds': {
    card: testCards['challenge-insufficient-funds'],
    bank: passes,
    ends: 'declined',
  },
  'challenge-unavailable': {
    card: testCards['challenge-unavailable'],
    bank: passes,
    ends: 'declined',
  },
  redirect: { card: testCards.redirect, bank: passes, redirects: true, ends: 'paid' },
  slow: { card: testCards.slow, ends: 'processing' },
  pending: { card: testCards.pending, ends: 'processing' },
  canceled: { ends: 'failed' },
} as const satisfies Record<string, Plan>
