/**
 * What the simulated acquirer does with each test card. The service rejects every other number.
 *
 * @module
 */
import { testCards as numbers, type TestCardName } from '@pi-checkout/contract/sandbox'

/** Why a card was declined. Lost and stolen cards stand apart here alone: the buyer reads a plain decline. */
export type Decline =
  | 'generic_decline'
  | 'insufficient_funds'
  | 'lost_card'
  | 'stolen_card'
  | 'expired_card'
  | 'incorrect_cvc'
  | 'processing_error'
  | 'authentication_unavailable'

/** What the acquirer decides. A hard decline ends the intent. */
export type Settlement =
  | { readonly result: 'authorised' }
  | { readonly result: 'declined'; readonly decline: Decline; readonly hard: boolean }

/** What happens to a card: settled at once, after a challenge, or later. */
export type CardOutcome =
  | Settlement
  /** `framing` says whether the issuer may be shown inside the hosted page. */
  | { readonly result: 'challenge'; readonly framing: boolean; readonly later: Settlement }
  /** Authorised `after` so many milliseconds; `undefined` waits until the sandbox settles it. */
  | { readonly result: 'pending'; readonly after: number | undefined }

/** One row of the table of test cards. */
export interface TestCard {
  /** Stable name for test ids and documentation. */
  readonly name: TestCardName
  readonly number: string
  readonly brand: string
  readonly outcome: CardOutcome
}

const authorised: Settlement = { result: 'authorised' }

/** Every test card. Any future expiry and any security code go with it. */
export const testCards: readonly TestCard[] = [
  card('visa', authorised),
  card('mastercard', authorised),
  card('amex', authorised),
  card('mir', authorised),
  card('arca', authorised),
  card('declined', declined('generic_decline')),
  card('insufficient-funds', declined('insufficient_funds')),
  card('lost', declined('lost_card')),
  card('stolen', { ...declined('stolen_card'), hard: true }),
  card('expired', declined('expired_card')),
  card('wrong-cvc', declined('incorrect_cvc')),
  card('processing-error', declined('processing_error')),
  card('challenge', challenge({ framing: true, later: authorised })),
  card('redirect', challenge({ framing: false, later: authorised })),
  card('challenge-declined', challenge({ framing: true, later: declined('generic_decline') })),
  card(
    'challenge-insufficient-funds',
    challenge({ framing: true, later: declined('insufficient_funds') }),
  ),
  card(
    'challenge-unavailable',
    challenge({ framing: true, later: declined('authentication_unavailable') }),
  ),
  card('slow', { result: 'pending', after: 5000 }),
  card('pending', { result: 'pending', after: undefined }),
]

/** Finds the test card of a number; `undefined` for every other number, real ones included. */
export function findTestCard(number: string): TestCard | undefined {
  return byNumber.get(number)
}

const byNumber: ReadonlyMap<string, TestCard> = new Map(
  testCards.map((testCard) => [testCard.number, testCard]),
)

function card(name: TestCardName, outcome: CardOutcome): TestCard {
  const number = numbers[name]
  return { name, number, brand: brandOf(number), outcome }
}

function brandOf(number: string): string {
  if (number.startsWith('4')) return 'visa'
  if (number.startsWith('5')) return 'mastercard'
  if (number.startsWith('3')) return 'amex'
  return number.startsWith('22') ? 'mir' : 'arca'
}

function declined(decline: Decline): Extract<Settlement, { result: 'declined' }> {
  return { result: 'declined', decline, hard: false }
}

function challenge(details: {
  readonly framing: boolean
  readonly later: Settlement
}): Extract<CardOutcome, { result: 'challenge' }> {
  return { result: 'challenge', ...details }
}
