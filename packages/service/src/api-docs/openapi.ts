/** The OpenAPI 3.1 description, from the schemas of requests and responses. @module */
import {
  CreatedPaymentIntentSchema,
  CreatePaymentIntentSchema,
  currencies,
  fieldErrorCodes,
  limits,
  PaymentIntentSchema,
  type ProblemCode,
  problemCodes,
  problemMediaType,
  routes,
} from '@pi-checkout/contract'
import { z } from 'zod'

/** Body of an error response. The OpenAPI description also allows unknown fields. */
export const ProblemResponse = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().meta({ description: 'What is wrong with this request, and the fix' }),
  code: z.enum(Object.keys(problemCodes) as ProblemCode[]),
  requestId: z.string().regex(/^req_[A-Za-z0-9]{20}$/),
  retryable: z.boolean().meta({ description: 'The same request may succeed later' }),
  errors: z.array(
    z.strictObject({
      pointer: z.string().meta({ description: 'RFC 6901' }),
      code: z.enum(fieldErrorCodes),
      detail: z.string(),
    }),
  ),
  errorsOmitted: z.int().min(1).optional().meta({
    description: 'Number of invalid fields that `errors` omits beyond 20 entries',
  }),
})

export function openapi(serverUrl: string) {
  const retrieve = {
    operationId: 'retrievePaymentIntent',
    summary: 'Retrieve a Payment Intent',
    responses: {
      200: response('The current intent, without its secret', 'PaymentIntent'),
      default: problem,
    },
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment Intents',
      version: '2026-11-20',
      description:
        'A Payment Intent collects one payment for one order. The merchant’s server creates and retrieves it; the buyer pays in the hosted checkout.',
    },
    servers: [{ url: serverUrl }] as const,
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
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: retrieve,
      },
    },
    components: {
      securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } },
      schemas: {
        CreatePaymentIntent: requestSchema(),
        CreatedPaymentIntent: responseSchema(CreatedPaymentIntentSchema),
        PaymentIntent: responseSchema(PaymentIntentSchema),
        Problem: responseSchema(ProblemResponse),
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
  amount: 150000,
  currency: 'AMD',
  orderId: 'A-1001',
  customer: { id: 'cus_17', email: 'anahit@example.com' },
  metadata: { cart: 'c-204' },
}

/** Returns the schema of a response, which accepts the fields and values of later versions. */
function responseSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // What a client reads in place of an invalid value.
      delete jsonSchema.default
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      const { enum: known } = jsonSchema
      if (!known || jsonSchema.type !== 'string') return
      delete jsonSchema.enum
      jsonSchema.description = `Known values: ${known.join(', ')}. Later versions may add others.`
    },
  })
  return rest
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

/** Returns the schema of the create request, with the limits that zod checks in code. */
function requestSchema(): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(CreatePaymentIntentSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ path, jsonSchema }) => {
      // For `anyOf`, the rule belongs to the alternative other than `null`.
      if (!jsonSchema.anyOf) Object.assign(jsonSchema, rules[path.join('.')])
    },
  })
  return rest
}

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
    description:
      'Well-formed text with a visible character, without control or text-direction characters',
  },
  'properties.metadata': {
    type: 'object',
    maxProperties: limits.metadataKeys,
    propertyNames: { minLength: 1, maxLength: limits.metadataKey },
    additionalProperties: { type: 'string', maxLength: limits.metadataValue },
    description: `At most ${limits.metadataBytes} bytes in total`,
  },
}
