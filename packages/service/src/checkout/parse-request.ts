/**
 * The bodies that the hosted page sends. A card that is no test card is rejected before it is read.
 *
 * @module
 */
import { type FieldErrorCode, fieldErrors, paymentIntentIdPattern } from '@pi-checkout/contract'
import { isTestCard } from '@pi-checkout/contract/sandbox'
import { z } from 'zod'
import type { ConfirmBody } from '../../shared/checkout-api.ts'
import { ProblemError } from '../http/problem.ts'
import { longestReturnUrl } from './return-url.ts'

/** `POST /checkout-api/session` */
export const OpenSessionSchema = z.strictObject({
  id: text(paymentIntentIdPattern, 'must be the id of a Payment Intent'),
  clientSecret: text(/^.{1,512}$/s, 'must be the clientSecret of that Payment Intent'),
  origin: text(/^.{1,255}$/s, 'must be the origin of the page around the checkout'),
})

const returnUrlRule = `must be an address of at most ${longestReturnUrl} characters`

/** `POST /checkout-api/challenge/open` */
export const OpenChallengeSchema = z.strictObject({
  returnUrl: z
    .string({ error: returnUrlRule })
    .max(longestReturnUrl, { error: returnUrlRule })
    .optional(),
})

/** Both cancels: an empty object. */
export const EmptySchema = z.strictObject({})

/** `POST /checkout-api/confirm` */
export const ConfirmSchema: z.ZodType<ConfirmBody> = z.strictObject({
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

/**
 * Reads a body.
 *
 * @throws {ProblemError} `validation_failed` with the invalid fields, never with their values.
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  throw new ProblemError(
    'validation_failed',
    'A field of the body breaks its rule.',
    fieldErrors(error, body),
  )
}

/**
 * Rejects every card that is not a test card, before any other field of it is read.
 *
 * @throws {ProblemError} `card_not_accepted`
 */
export function rejectRealCards(body: unknown): void {
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

/** @throws {ProblemError} `validation_failed` if the card's last month has passed. */
export function rejectPastExpiry({ paymentMethod: { card } }: ConfirmBody, now: Date): void {
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
