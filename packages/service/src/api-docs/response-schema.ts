/** JSON Schemas of responses: the fields of the contract, with the rules that this service keeps. @module */
import { currencies, limits, paymentIntentStatuses } from '@pi-checkout/contract'
import { z } from 'zod'
import type { FieldSchema } from './request-schema.ts'

/** Rules by path of a schema. */
type Rules = Readonly<Record<string, object>>

/** Returns the schema of a response: of this version if `exact`, else with what later ones may add. */
export function responseSchema(
  schema: z.ZodType,
  { rules = {}, exact = false }: { readonly rules?: Rules; readonly exact?: boolean } = {},
): FieldSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'output',
    override: ({ path, jsonSchema }) => {
      // What a client reads in place of an invalid value.
      delete jsonSchema.default
      // For `anyOf`, the rule belongs to the alternative other than `null`.
      if (!jsonSchema.anyOf) Object.assign(jsonSchema, rules[path.join('.')])
      if (jsonSchema.properties) jsonSchema.additionalProperties = false
      if (!exact) openUp(jsonSchema)
    },
  })
  // JSON Schema allows `true` and `false` as schemas, but these schemas are objects.
  return rest as FieldSchema
}

function openUp(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  const known = schema.const === undefined ? schema.enum : [schema.const]
  if (!known || schema.type !== 'string') return
  delete schema.enum
  delete schema.const
  const note = `Known values: ${known.join(', ')}. Later versions may add others.`
  schema.description = [schema.description, note].filter(Boolean).join('. ')
  schema['x-extensible-enum'] = known
}

const time = {
  pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`,
  description: 'RFC 3339 in UTC, with three decimals',
}

/** Rules of the two responses with a Payment Intent. */
export const intentRules: Rules = {
  'properties.id': { pattern: '^pi_[A-Za-z0-9]{24}$' },
  'properties.clientSecret': {
    pattern: '^pi_[A-Za-z0-9]{24}_secret_[A-Za-z0-9]{48}$',
    description: 'For the paying browser only',
  },
  'properties.amount': { minimum: 1, maximum: limits.amount, description: 'Minor currency units' },
  'properties.currency': { enum: [...currencies] },
  'properties.orderId': { minLength: 1, maxLength: limits.orderId },
  'properties.customer': { description: 'Customer as sent in the create' },
  'properties.status': { enum: [...paymentIntentStatuses] },
  'properties.paymentMethod': {
    required: ['type', 'card'],
    description: 'Display-safe summary; null before a method is chosen',
  },
  'properties.paymentMethod.properties.type': { enum: ['card'] },
  'properties.paymentMethod.properties.card.properties.last4': { pattern: String.raw`^\d{4}$` },
  'properties.paymentMethod.properties.card.properties.expMonth': {
    type: 'integer',
    minimum: 1,
    maximum: 12,
  },
  'properties.paymentMethod.properties.card.properties.expYear': { type: 'integer' },
  'properties.lastPaymentFailure': { description: 'The latest failure, or null' },
  'properties.lastPaymentFailure.properties.message': { description: 'Message for the buyer' },
  'properties.lastPaymentFailure.properties.occurredAt': time,
  'properties.nextAction': {
    description: 'Action that the hosted checkout handles. Merchant code ignores it',
  },
  'properties.nextAction.properties.type': { enum: ['challenge', 'redirect'] },
  'properties.nextAction.properties.expiresAt': time,
  'properties.createdAt': time,
  'properties.updatedAt': time,
}
