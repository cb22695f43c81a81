/** Generates the OpenAPI 3.1 description from the schemas of requests and responses. @module */
import {
  CreatedPaymentIntentSchema,
  fieldErrorCodes,
  limits,
  PaymentIntentSchema,
  type ProblemCode,
  problemCodes,
  problemMediaType,
  routes,
} from '@pi-checkout/contract'
import { z } from 'zod'
import { requestSchema } from './request-schema.ts'

/** Problems of each operation, in the order of the checks. */
export const operationProblems = {
  create: [
    'method_not_allowed',
    'secret_key_in_browser',
    'unsupported_media_type',
    'payload_too_large',
    'invalid_header',
    'missing_credentials',
    'invalid_credentials',
    'revoked_credentials',
    'rate_limited',
    'invalid_idempotency_key',
    'malformed_json',
    'invalid_body',
    'validation_failed',
    'unknown_parameter',
    'idempotency_key_reused',
    'idempotency_key_in_use',
    'request_timeout',
    'internal_error',
    'store_unavailable',
    'timeout',
  ],
  retrieve: [
    'method_not_allowed',
    'secret_key_in_browser',
    'invalid_header',
    'missing_credentials',
    'invalid_credentials',
    'revoked_credentials',
    'rate_limited',
    'payment_intent_not_found',
    'internal_error',
    'store_unavailable',
    'timeout',
  ],
} as const satisfies Record<string, readonly ProblemCode[]>

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
      ...problems(operationProblems.retrieve),
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
            ...problems(operationProblems.create),
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

/** Returns one response for each HTTP status, as OpenAPI requires. Descriptions list the codes. */
function problems(codes: readonly ProblemCode[]): Record<number, ReturnType<typeof response>> {
  const statuses = new Set(codes.map((code) => problemCodes[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const group = codes.filter((code) => problemCodes[code].status === status)
      const texts = group.map((code) => `\`${code}\`: ${problemCodes[code].title}`)
      const headers = statusHeaders[status] ?? []
      return [status, response(texts.join('. '), 'Problem', headers, problemMediaType)]
    }),
  )
}

/** Headers of the problems with a status, besides those of each response. */
const statusHeaders: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  405: ['allow'],
  409: ['retry-after'],
  415: ['accept-post'],
  429: ['retry-after', 'ratelimit', 'ratelimit-policy'],
  503: ['retry-after'],
  504: ['retry-after'],
}
