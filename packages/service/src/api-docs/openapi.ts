/** The OpenAPI 3.1 description, from the schemas of requests and responses. @module */
import {
  CreatedPaymentIntentSchema,
  CreatePaymentIntentSchema,
  currencies,
  limits,
  PaymentIntentSchema,
  ProblemSchema,
  problemMediaType,
  routes,
} from '@pi-checkout/contract'
import { z } from 'zod'
import { exampleIntent } from '../../shared/sandbox-api.ts'

export function openapi(serverUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment Intents',
      version: '2026-11-20',
      description: 'A Payment Intent collects one payment for one order.',
    },
    servers: [{ url: serverUrl }],
    security: [{ secretKey: [] }],
    paths: {
      [routes.create.path]: {
        post: {
          operationId: 'createPaymentIntent',
          summary: 'Create a Payment Intent',
          parameters: [idempotencyKey],
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: reference('CreatePaymentIntent'), example },
            },
          },
          responses: {
            201: response(
              'The intent with its secret, which is for the paying browser only',
              'CreatedPaymentIntent',
              ['location', 'idempotent-replayed'],
            ),
            default: problem,
          },
        },
      },
      [routes.retrieve.path.replace(':id', '{id}')]: {
        get: {
          operationId: 'retrievePaymentIntent',
          summary: 'Retrieve a Payment Intent',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: {
            200: response('The current intent, without its secret', 'PaymentIntent'),
            default: problem,
          },
        },
      },
    },
    components: {
      securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } },
      schemas: {
        CreatePaymentIntent: jsonSchema(CreatePaymentIntentSchema, createRules),
        CreatedPaymentIntent: jsonSchema(CreatedPaymentIntentSchema),
        PaymentIntent: jsonSchema(PaymentIntentSchema),
        Problem: jsonSchema(ProblemSchema),
      },
    },
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same key for each retry of an order with the same body, for at least 24 hours',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKey, pattern: '^[!-~]+$' },
}

const example = {
  ...exampleIntent,
  customer: { id: 'cus_17', email: 'anahit@example.com' },
  metadata: { cart: 'c-204' },
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` }
}

function response(
  description: string,
  schema: string,
  headers: readonly string[] = [],
  mediaType = 'application/json',
) {
  const names = ['request-id', 'payment-intents-profile', ...headers]
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }])),
    content: { [mediaType]: { schema: reference(schema) } },
  }
}

/** Any error. The guide lists the codes. */
const problem = response(
  'An error: `code` says which one',
  'Problem',
  ['www-authenticate', 'allow', 'accept-post', 'retry-after'],
  problemMediaType,
)

type Rules = Readonly<Record<string, object>>

/** @param rules - By path, those that zod checks in code. */
function jsonSchema(schema: z.ZodType, rules: Rules = {}): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ path, jsonSchema: part }) => {
      // What a client reads in place of an invalid value.
      delete part.default
      // For `anyOf`, the rule belongs to the alternative other than `null`.
      if (!part.anyOf) Object.assign(part, rules[path.join('.')])
    },
  })
  return rest
}

const createRules: Rules = {
  'properties.amount': { type: 'integer', description: 'Minor units: 150000 is 1500.00 AMD' },
  'properties.currency': { enum: currencies.flatMap((code) => [code, code.toLowerCase()]) },
  'properties.orderId': { minLength: 1 },
  'properties.metadata': {
    type: 'object',
    maxProperties: limits.metadataKeys,
    propertyNames: { minLength: 1, maxLength: limits.metadataKey },
    additionalProperties: { type: 'string', maxLength: limits.metadataValue },
    description: `At most ${limits.metadataBytes} bytes in total`,
  },
}
