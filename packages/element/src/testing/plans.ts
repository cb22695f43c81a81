/** What the buyer does for each simulated outcome: the sandbox's test card, the bank's code, the result. @module */
import type { challengeCodes, TestCardName } from '@pi-checkout/contract/sandbox'

/** One way through the form. */
export interface PaymentPlan {
  /** The test card. Without one the buyer cancels. */
  readonly card?: TestCardName
  /** What the code for the bank's challenge does, or `cancel` to use another card instead. */
  readonly bank?: keyof typeof challengeCodes | 'cancel'
  /** The bank does not allow framing: its page replaces the shop's. */
  readonly redirects?: true
  /** `declined`: the form shows a reason and can be submitted again. */
  readonly ends: 'paid' | 'declined' | 'failed' | 'processing'
}

/** Plans by simulated outcome. */
export const plans = {
  succeeded: { card: 'visa', ends: 'paid' },
  declined: { card: 'declined', ends: 'declined' },
  'insufficient-funds': { card: 'insufficient-funds', ends: 'declined' },
  lost: { card: 'lost', ends: 'declined' },
  stolen: { card: 'stolen', ends: 'failed' },
  expired: { card: 'expired', ends: 'declined' },
  'wrong-cvc': { card: 'wrong-cvc', ends: 'declined' },
  'processing-error': { card: 'processing-error', ends: 'declined' },
  challenge: { card: 'challenge', bank: 'passes', ends: 'paid' },
  'challenge-denied': { card: 'challenge', bank: 'denied', ends: 'declined' },
  'challenge-error': { card: 'challenge', bank: 'bankError', ends: 'declined' },
  'challenge-canceled': { card: 'challenge', bank: 'cancel', ends: 'declined' },
  'challenge-declined': { card: 'challenge-declined', bank: 'passes', ends: 'declined' },
  'challenge-insufficient-funds': {
    card: 'challenge-insufficient-funds',
    bank: 'passes',
    ends: 'declined',
  },
  'challenge-unavailable': { card: 'challenge-unavailable', bank: 'passes', ends: 'declined' },
  redirect: { card: 'redirect', bank: 'passes', redirects: true, ends: 'paid' },
  slow: { card: 'slow', ends: 'processing' },
  pending: { card: 'pending', ends: 'processing' },
  canceled: { ends: 'failed' },
} as const

/** A simulated outcome. */
export type PaymentOutcome = keyof typeof plans
