/** Test cards, challenge codes, and faults of the sandbox. @module */

/** Number of each test card, by name. Any future expiry and any security code are valid for it. */
export const testCards = {
  visa: '4242424242424242',
  mastercard: '5555555555554444',
  amex: '378282246310005',
  mir: '2200000000000004',
  arca: '9051000000000009',
  declined: '4000000000000002',
  'insufficient-funds': '4000000000009995',
  lost: '4000000000009987',
  stolen: '4000000000009979',
  expired: '4000000000000069',
  'wrong-cvc': '4000000000000127',
  'processing-error': '4000000000000119',
  challenge: '4000000000003220',
  redirect: '4000002760003184',
  'challenge-declined': '4000008400001629',
  'challenge-insufficient-funds': '4000008260003178',
  'challenge-unavailable': '4000008400001280',
  slow: '4000000000000341',
  pending: '4000000000000077',
} as const

/** Name of a test card, as in test ids and documents. */
export type TestCardName = keyof typeof testCards

/** Returns whether a number, digits only, is that of a test card. */
export function isTestCard(number: string): boolean {
  return numbers.has(number)
}

const numbers: ReadonlySet<string> = new Set(Object.values(testCards))

/** What the test bank does with each code of a challenge. */
export const challengeCodes = { passes: '1234', denied: '0000', bankError: '9999' } as const

/**
 * Faults of a request, as in the header `Sandbox-Fault`. `fakeService()` has a method for each, in camel case. All but
 * `drop-before-commit` execute the request first.
 */
export const requestFaults = [
  'drop-before-commit',
  'drop-after-commit',
  'truncate-body',
  'stall-body',
  'malformed-json',
] as const

/** HTTP statuses as faults: the request is not executed. `fakeService()` has `status()` for them. */
export const statusFaults = ['409', '429', '500', '503'] as const
