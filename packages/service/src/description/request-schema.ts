/**
 * The create request as JSON Schema, its rules included.
 *
 * @module
 */
import { CreatePaymentIntent, limits } from '@pi-checkout/contract'
import { z } from 'zod'

/** A schema, as far as a table of fields shows it. */
export type FieldSchema = {
  readonly type?: string | string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: string[]
  readonly anyOf?: FieldSchema[]
  readonly enum?: string[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maxProperties?: number
}

/** Our own checks are code, which no schema language shows: their limits are put beside the types. */
export function requestSchema(): FieldSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(CreatePaymentIntent, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ path, jsonSchema }) => {
      // `null` stands beside what it may replace: the rule is of the other.
      if (!jsonSchema.anyOf) Object.assign(jsonSchema, rules[path.join('.')])
    },
  })
  return rest as FieldSchema
}

const rules: Readonly<Record<string, object>> = {
  'properties.amount': {
    type: 'integer',
    minimum: 1,
    maximum: limits.amount,
    description: 'Minor currency units: 150000 is 1500.00 AMD',
  },
  'properties.currency': {
    pattern: '^(?:[Aa][Mm][Dd]|[Uu][Ss][Dd]|[Ee][Uu][Rr]|[Rr][Uu][Bb])$',
    description: 'AMD, USD, EUR or RUB; answered in upper case',
  },
  'properties.orderId': {
    minLength: 1,
    maxLength: limits.orderId,
    description: 'Well-formed text without control or text-direction characters',
  },
  'properties.customer.properties.id': { minLength: 1, maxLength: limits.customerId },
  'properties.customer.properties.email': {
    minLength: 3,
    maxLength: limits.customerEmail,
    pattern: '^[^@]+@[^@]+$',
    description: 'Kept verbatim',
  },
  'properties.customer.properties.name': { minLength: 1, maxLength: limits.customerName },
  'properties.metadata': {
    type: 'object',
    maxProperties: limits.metadataKeys,
    propertyNames: {
      minLength: 1,
      maxLength: limits.metadataKey,
      pattern: '^(?!(?:__proto__|constructor|prototype)$)',
    },
    additionalProperties: { type: 'string', maxLength: limits.metadataValue },
    description: `At most ${limits.metadataBytes} bytes in all`,
  },
}
