/**
 * The only card numbers that this service takes, and what the simulated acquirer does with each.
 *
 * Browser code reads this list too, so that a real number never leaves the buyer's page.
 *
 * @module
 */

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

/** What the acquirer answers once it decides. A hard decline ends the intent. */
export type Settlement =
  | { readonly result: 'authorised' }
  | { readonly result: 'declined'; readonly decline: Decline; readonly hard: boolean }

/** What happens to a card: settled at once, after a challenge, or later. */
export type CardOutcome =
  | Settlement
  /** `framing` says whether the issuer may be shown inside the hosted page. */
  | { readonly result: 'challenge'; readonly framing: boolean; readonly later: Settlement }
  /** Authorised `after` so many milliseconds; `undefined` waits until somebody settles it by hand. */
  | { readonly result: 'pending'; readonly after: number | undefined }

/** One row of the table of test cards. */
export interface TestCard {
  /** Stable name for test ids and documentation. */
  readonly name: string
  readonly number: string
  readonly brand: string
  readonly outcome: CardOutcome
}

const authorised: Settlement = { result: 'authorised' }

/** Every test card. Any future expiry and any security code go with it. */
export const testCards: readonly TestCard[] = [
  card('visa', '4242424242424242', authorised),
  card('mastercard', '5555555555554444', authorised),
  card('amex', '378282246310005', authorised),
  card('mir', '2200000000000004', authorised),
  card('arca', '9051000000000009', authorised),
  card('declined', '4000000000000002', declined('generic_decline')),
  card('insufficient-funds', '4000000000009995', declined('insufficient_funds')),
  card('lost', '4000000000009987', declined('lost_card')),
  card('stolen', '4000000000009979', { ...declined('stolen_card'), hard: true }),
  card('expired', '4000000000000069', declined('expired_card')),
  card('wrong-cvc', '4000000000000127', declined('incorrect_cvc')),
  card('processing-error', '4000000000000119', declined('processing_error')),
  card('challenge', '4000000000003220', challenge({ framing: true, later: authorised })),
  card('redirect', '4000002760003184', challenge({ framing: false, later: authorised })),
  card(
    'challenge-declined',
    '4000008400001629',
    challenge({ framing: true, later: declined('generic_decline') }),
  ),
  card(
    'challenge-insufficient-funds',
    '4000008260003178',
    challenge({ framing: true, later: declined('insufficient_funds') }),
  ),
  card(
    'challenge-unavailable',
    '4000008400001280',
    challenge({ framing: true, later: declined('authentication_unavailable') }),
  ),
  card('slow', '4000000000000341', { result: 'pending', after: 5000 }),
  card('pending', '4000000000000077', { result: 'pending', after: undefined }),
]

/** Finds the test card of a number; `undefined` for every other number, real ones included. */
export function findTestCard(number: string): TestCard | undefined {
  return byNumber.get(number)
}

const byNumber: ReadonlyMap<string, TestCard> = new Map(
  testCards.map((testCard) => [testCard.number, testCard]),
)

function card(name: string, number: string, outcome: CardOutcome): TestCard {
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
