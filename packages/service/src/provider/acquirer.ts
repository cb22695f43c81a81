/** The simulated acquirer, which maps test cards to outcomes. It stores no card data. @module */
import type { PaymentFailure } from '@pi-checkout/contract'
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import type { CardDetails, CardSummary } from '../../shared/checkout-api.ts'

/** Reason of a decline. For lost and stolen cards, buyer and merchant receive `generic_decline`. */
type DeclineReason = keyof typeof declines

/** Result of the acquirer. A hard decline ends the intent. */
export type ProviderResult =
  | { readonly result: 'authorised' }
  | { readonly result: 'declined'; readonly decline: DeclineReason; readonly hard: boolean }

/** Outcome of a card: decided immediately, after a challenge, or later. */
type CardOutcome =
  | ProviderResult
  /** `framing` is whether the challenge may be shown in an iframe of the hosted page. */
  | { readonly result: 'challenge'; readonly framing: boolean; readonly later: ProviderResult }
  /** Authorized `after` the given milliseconds. If `undefined`, the sandbox must simulate an outcome. */
  | { readonly result: 'pending'; readonly after: number | undefined }

export interface Authorization {
  readonly summary: CardSummary
  readonly outcome: CardOutcome
}

const authorised: ProviderResult = { result: 'authorised' }

const outcomes: Readonly<Record<TestCardName, CardOutcome>> = {
  visa: authorised,
  mastercard: authorised,
  amex: authorised,
  mir: authorised,
  arca: authorised,
  declined: declined('generic_decline'),
  'insufficient-funds': declined('insufficient_funds'),
  lost: declined('lost_card'),
  stolen: { result: 'declined', decline: 'stolen_card', hard: true },
  expired: declined('expired_card'),
  'wrong-cvc': declined('incorrect_cvc'),
  'processing-error': declined('processing_error'),
  challenge: challenge(authorised),
  redirect: { ...challenge(authorised), framing: false },
  'challenge-declined': challenge(declined('generic_decline')),
  'challenge-insufficient-funds': challenge(declined('insufficient_funds')),
  'challenge-unavailable': challenge(declined('authentication_unavailable')),
  slow: { result: 'pending', after: 5000 },
  pending: { result: 'pending', after: undefined },
}

/** Returns `undefined` if the number is not a test card. */
export function authorize({ number, ...expiry }: CardDetails): Authorization | undefined {
  const names = Object.keys(testCards) as TestCardName[]
  const name = names.find((each) => testCards[each] === number)
  return name && authorizeTestCard(name, expiry)
}

export function authorizeTestCard(
  name: TestCardName,
  { expMonth, expYear }: Pick<CardDetails, 'expMonth' | 'expYear'>,
): Authorization {
  const number = testCards[name]
  const last4 = number.slice(-4)
  const summary = { brand: brandOf(number), last4, expMonth, expYear, funding: 'credit' }
  return { summary, outcome: outcomes[name] }
}

const plain = {
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined. Try another card, or ask your bank.',
}

/** Code and message of each decline. A thief does not learn that a card was reported as lost or stolen. */
export const declines = {
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
} as const satisfies Record<string, Pick<PaymentFailure, 'code' | 'declineCode' | 'message'>>

function brandOf(number: string): string {
  if (number.startsWith('4')) return 'visa'
  if (number.startsWith('5')) return 'mastercard'
  if (number.startsWith('3')) return 'amex'
  return number.startsWith('22') ? 'mir' : 'arca'
}

function declined(decline: DeclineReason): ProviderResult {
  return { result: 'declined', decline, hard: false }
}

function challenge(later: ProviderResult): CardOutcome & { readonly result: 'challenge' } {
  return { result: 'challenge', framing: true, later }
}
