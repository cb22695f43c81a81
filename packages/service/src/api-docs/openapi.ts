/** The OpenAPI 3.1 description, from the schemas of requests and responses. @module */
import {
  CreatedPaymentIntentSchema,
  CreatePaymentIntentSchema,
  limits,
  PaymentIntentSchema,
  ProblemSchema,
  problemMediaType,
  routes,
} from '@pi-checkout/contract'
import { z } from 'zod'

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
        CreatePaymentIntent: jsonSchema(CreatePaymentIntentSchema),
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
  description: 'The same key for each retry of an order with the same body',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKey, pattern: '^[!-~]+$' },
}

const example = {
  amount: 150000,
  currency: 'AMD',
  orderId: 'A-1001',
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

function jsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // What a client reads in place of an invalid value.
    override: ({ jsonSchema: part }) => void delete part.default,
  })
  return rest
}
