/**
 * The bodies that the hosted page sends. A card is refused unread unless it is a test card.
 *
 * @module
 */
import { type FieldErrorCode, fieldErrors, paymentIntentIdPattern } from '@pi-checkout/contract'
import { isTestCard } from '@pi-checkout/contract/sandbox'
import { z } from 'zod'
import { ProblemError } from '../http/problem.ts'
import { longestReturnUrl } from './return-url.ts'

/** `POST /checkout-api/session` */
export const OpenSession = z.strictObject({
  id: text(paymentIntentIdPattern, 'must be the id of a Payment Intent'),
  clientSecret: text(/^.{1,512}$/s, 'must be the clientSecret of that Payment Intent'),
  origin: text(/^.{1,255}$/s, 'must be the origin of the page around the checkout'),
})

const returnUrlRule = `must be an address of at most ${longestReturnUrl} characters`

/** `POST /checkout-api/challenge/open` */
export const OpenChallenge = z.strictObject({
  returnUrl: z
    .string({ error: returnUrlRule })
    .max(longestReturnUrl, { error: returnUrlRule })
    .optional(),
})

/** Both cancels: there is nothing to say. */
export const Nothing = z.strictObject({})

/** `POST /checkout-api/confirm` */
export const Confirm = z.strictObject({
  attemptId: text(/^[A-Za-z0-9_-]{16,64}$/, 'must be 16 to 64 letters, digits, - or _'),
  version: z.int({ error: 'must be the version of the intent that the buyer saw' }),
  paymentMethod: z.strictObject({
    type: z.literal('card', { error: 'must be "card"' }),
    card: z.strictObject({
      number: z.string({ error: 'must be a string of digits' }),
      expMonth: z.int({ error: 'must be a month from 1 to 12' }).check(between(1, 12)),
      expYear: z.int({ error: 'must be a year of four digits' }).check(between(2000, 2099)),
      cvc: text(/^\d{3,4}$/, 'must be 3 or 4 digits'),
      holderName: text(/^.{1,128}$/su, 'must be 1 to 128 characters').optional(),
    }),
  }),
})
export type Confirm = z.infer<typeof Confirm>

/**
 * Reads a body.
 *
 * @throws {ProblemError} `validation_failed` with the fields at fault, never with their values.
 */
export function readRequest<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  throw new ProblemError(
    'validation_failed',
    'A field of the body breaks its rule.',
    fieldErrors(error, body),
  )
}

/**
 * Refuses every card that is not a test card, before anything else of it is looked at.
 *
 * @throws {ProblemError} `card_not_accepted`
 */
export function refuseRealCards(body: unknown): void {
  const number = ['paymentMethod', 'card', 'number'].reduce<unknown>(
    (value, key) => (typeof value === 'object' && value ? Reflect.get(value, key) : undefined),
    body,
  )
  if (typeof number !== 'string' || isTestCard(number)) return
  throw new ProblemError(
    'card_not_accepted',
    'Only the test cards of this sandbox are accepted; the number was not read and not kept.',
  )
}

/** Tells whether a card's last month is over. */
export function refusePastExpiry({ paymentMethod: { card } }: Confirm, now: Date): void {
  // A card is good to the last moment of its month, wherever on earth the buyer is.
  const end = Date.UTC(card.expYear, card.expMonth, 1) + 12 * 60 * 60 * 1000
  if (now.getTime() < end) return
  throw new ProblemError('validation_failed', 'A field of the body breaks its rule.', {
    errors: [
      {
        pointer: '/paymentMethod/card/expYear',
        code: 'too_small',
        detail: 'paymentMethod.card.expYear must be in the future, together with expMonth',
      },
    ],
  })
}

function text(pattern: RegExp, rule: string): z.ZodString {
  return z.string({ error: rule }).check(({ value, issues }) => {
    if (!pattern.test(value)) issues.push(issue('invalid_format', rule, value))
  })
}

function between(min: number, max: number): z.core.CheckFn<number> {
  return ({ value, issues }) => {
    if (value < min) issues.push(issue('too_small', `must be at least ${min}`, value))
    if (value > max) issues.push(issue('too_big', `must be at most ${max}`, value))
  }
}

function issue(code: FieldErrorCode, message: string, input: unknown): z.core.$ZodRawIssue {
  return { code: 'custom', input, message, params: { code } }
}
