/**
 * The sandbox's test cards: what a buyer does with each, and how the payment ends. No DOM here.
 *
 * @module
 */
import { challengeAnswers } from '@pi-checkout/contract/open-choices'

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

const { passes, denied, bankError } = challengeAnswers

/** By what it brings about. */
export const plans = {
  success: { card: '4242424242424242', ends: 'paid' },
  declined: { card: '4000000000000002', ends: 'declined' },
  'insufficient-funds': { card: '4000000000009995', ends: 'declined' },
  lost: { card: '4000000000009987', ends: 'declined' },
  stolen: { card: '4000000000009979', ends: 'failed' },
  expired: { card: '4000000000000069', ends: 'declined' },
  'wrong-cvc': { card: '4000000000000127', ends: 'declined' },
  'processing-error': { card: '4000000000000119', ends: 'declined' },
  challenge: { card: '4000000000003220', bank: passes, ends: 'paid' },
  'challenge-denied': { card: '4000000000003220', bank: denied, ends: 'declined' },
  'challenge-error': { card: '4000000000003220', bank: bankError, ends: 'declined' },
  'challenge-canceled': { card: '4000000000003220', bank: 'cancel', ends: 'declined' },
  'challenge-declined': { card: '4000008400001629', bank: passes, ends: 'declined' },
  'challenge-insufficient-funds': { card: '4000008260003178', bank: passes, ends: 'declined' },
  'challenge-unavailable': { card: '4000008400001280', bank: passes, ends: 'declined' },
  redirect: { card: '4000002760003184', bank: passes, redirects: true, ends: 'paid' },
  slow: { card: '4000000000000341', ends: 'processing' },
  pending: { card: '4000000000000077', ends: 'processing' },
  canceled: { ends: 'failed' },
} as const satisfies Record<string, Plan>
