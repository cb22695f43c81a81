/** Bodies of the hosted page's private API, with the rules of their fields. Only test cards are accepted. @module */
import { isTestCard } from '@pi-checkout/contract/sandbox'
import { z } from 'zod'
import type { CardDetails, ConfirmBody, OpenSessionBody } from '../../shared/checkout-api.ts'
import { ProblemError } from '../http/problem.ts'
import { intentIdPattern } from '../ids.ts'
import { maxUrlLength } from './return-url.ts'

export const OpenSessionSchema: z.ZodType<OpenSessionBody> = z.strictObject({
  id: text(intentIdPattern, 'must be the id of a Payment Intent'),
  clientSecret: text(/^.{1,512}$/s, 'must be the clientSecret of that Payment Intent'),
  origin: text(/^.{1,255}$/s, 'must be the origin of the page around the checkout'),
})

export const ViewQuerySchema = z.object({
  waitForVersion: text(/^\d{1,9}$/, 'must have 1 to 9 digits')
    .transform(Number)
    .optional(),
})

const monthRule = 'must be a month from 1 to 12'
const yearRule = 'must be a year from 2000 to 2099'

export const ConfirmSchema: z.ZodType<ConfirmBody> = z.strictObject({
  confirmationId: text(/^[A-Za-z0-9_-]{16,64}$/, 'must be 16 to 64 letters, digits, -, or _'),
  version: z.int('must be the version of the intent that the buyer saw'),
  paymentMethod: z.strictObject(
    {
      type: z.literal('card', 'must be "card"'),
      card: z
        .strictObject(
          {
            number: z.string('must be a string of digits'),
            expMonth: z.int(monthRule).min(1, monthRule).max(12, monthRule),
            expYear: z.int(yearRule).min(2000, yearRule).max(2099, yearRule),
            cvc: text(/^\d{3,4}$/, 'must be 3 or 4 digits'),
            holderName: text(/^.{1,128}$/su, 'must be 1 to 128 characters').optional(),
          },
          'must be an object',
        )
        .refine(isValid, {
          path: ['expYear'],
          message: 'must be in the future, together with expMonth',
          params: { code: 'too_small' },
        }),
    },
    'must be an object',
  ),
})

const returnUrlRule = `must be an address of at most ${maxUrlLength} characters`

export const OpenChallengeSchema = z.strictObject({
  returnUrl: z.string(returnUrlRule).max(maxUrlLength, returnUrlRule).optional(),
})

export const EmptySchema = z.strictObject({})

/** Rejects card numbers other than test cards, before other fields are read. */
export function rejectRealCards(body: unknown): void {
  const number = ['paymentMethod', 'card', 'number'].reduce<unknown>(
    (value, key) => (typeof value === 'object' && value ? Reflect.get(value, key) : undefined),
    body,
  )
  if (typeof number !== 'string' || isTestCard(number)) return
  throw new ProblemError(
    'card_not_accepted',
    'Only test cards are accepted. The number was not stored. See /docs for the test cards.',
  )
}

/** A card is valid until the end of its month in each time zone. */
function isValid({ expYear, expMonth }: Pick<CardDetails, 'expYear' | 'expMonth'>): boolean {
  return Date.now() < Date.UTC(expYear, expMonth, 1) + 12 * 60 * 60 * 1000
}

function text(pattern: RegExp, rule: string): z.ZodString {
  return z.string(rule).regex(pattern, rule)
}
