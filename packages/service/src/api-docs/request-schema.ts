/** Generates the JSON Schema of the create request. @module */
import { CreatePaymentIntentSchema, currencies, limits } from '@pi-checkout/contract'
import { z } from 'zod'

/** A schema of an object, as the description has it. */
export type FieldSchema = Readonly<Record<string, unknown>>

/** Returns the schema. Adds the limits that zod checks in code. */
export function requestSchema(): FieldSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(CreatePaymentIntentSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ path, jsonSchema }) => {
      // For `anyOf`, the rule belongs to the alternative other than `null`.
      if (!jsonSchema.anyOf) Object.assign(jsonSchema, rules[path.join('.')])
    },
  })
  return rest as FieldSchema
}

/**
 * Pattern of an order id, without Unicode properties, which some validators do not support. It accepts some ids
 * of rare invisible characters that the service rejects.
 */
const forbidden =
  '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069'
const invisible =
  ' \\u00a0\\u00ad\\u0300-\\u036f\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200d\\u202f\\u205f-\\u2065\\u206a-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0'
const orderIdPattern = `^(?=.*[^${forbidden}${invisible}])[^${forbidden}]*$`

const rules: Readonly<Record<string, object>> = {
  'properties.amount': {
    type: 'integer',
    description: 'Minor currency units: 150000 is 1500.00 AMD',
  },
  'properties.currency': {
    enum: currencies.flatMap((code) => [code, code.toLowerCase()]),
    description: 'Returned in upper case',
  },
  'properties.orderId': {
    minLength: 1,
    pattern: orderIdPattern,
    description:
      'Well-formed text with a visible character, without control or text-direction characters',
  },
  'properties.customer.properties.email': { description: 'Stored unchanged' },
  'properties.metadata': {
    type: 'object',
    maxProperties: limits.metadataKeys,
    propertyNames: {
      minLength: 1,
      maxLength: limits.metadataKey,
      pattern: '^(?!(?:__proto__|constructor|prototype)$)',
    },
    additionalProperties: { type: 'string', maxLength: limits.metadataValue },
    description: `At most ${limits.metadataBytes} bytes in total`,
  },
}
