/** Responses that this service returns. The schemas of the contract accept more. @module */
import { currencies, limits, paymentIntentStatuses } from '@pi-checkout/contract'
import { z } from 'zod'

const Time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ description: 'RFC 3339 in UTC, with three decimals' })

const Customer = z
  .strictObject({
    id: z.string(),
    email: z.string().optional(),
    name: z.string().optional(),
  })
  .meta({ description: 'Customer as sent in the create' })

const PaymentMethod = z
  .strictObject({
    type: z.literal('card'),
    card: z.strictObject({
      brand: z.string(),
      last4: z.string().regex(/^\d{4}$/),
      expMonth: z.int().min(1).max(12),
      expYear: z.int(),
      funding: z.string(),
    }),
  })
  .meta({ description: 'Display-safe summary; null before a method is chosen' })

const PaymentFailure = z
  .strictObject({
    code: z.string(),
    declineCode: z.string().nullable(),
    message: z.string().meta({ description: 'Message for the buyer' }),
    retryable: z.boolean(),
    occurredAt: Time,
  })
  .meta({ description: 'The latest failure, or null' })

const NextAction = z
  .strictObject({ type: z.enum(['challenge', 'redirect']), expiresAt: Time })
  .meta({ description: 'Action that the hosted checkout handles. Merchant code ignores it' })

export const IntentResponse = z.strictObject({
  id: z.string().regex(/^pi_[A-Za-z0-9]{24}$/),
  amount: z.int().min(1).max(limits.amount).meta({ description: 'Minor currency units' }),
  currency: z.enum(currencies),
  orderId: z.string().min(1).max(limits.orderId),
  customer: Customer.nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  status: z.enum(paymentIntentStatuses),
  paymentMethod: PaymentMethod.nullable(),
  lastPaymentFailure: PaymentFailure.nullable(),
  nextAction: NextAction.nullable(),
  providerPaymentId: z.string().nullable(),
  createdAt: Time,
  updatedAt: Time,
})

export const CreateResponse = IntentResponse.extend({
  clientSecret: z
    .string()
    .regex(/^pi_[A-Za-z0-9]{24}_secret_[A-Za-z0-9]{48}$/)
    .meta({ description: 'For the paying browser only' }),
})
