/** Generates the OpenAPI 3.1 description from the schemas of requests and responses. @module */
import {
  CreatedPaymentIntentSchema,
  fieldErrorCodes,
  limits,
  ownProfileName,
  PaymentIntentSchema,
  type ProblemCode,
  problemCodes,
  problemMediaType,
  routes,
} from '@pi-checkout/contract'
import { z } from 'zod'
import { requestSchema } from './request-schema.ts'
import { intentRules, responseSchema } from './response-schema.ts'

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
      [routes.create.path]: { post: createOperation() },
      [routes.retrieve.path.replace(':id', '{id}')]: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: retrieveOperation(),
        head: headOperation(),
      },
    },
    components: {
      securitySchemes: { secretKey: { type: 'http', scheme: 'bearer' } },
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, { description, ...rules }]) => [
          componentOf(name),
          { description, schema: { type: 'string', ...rules } },
        ]),
      ),
      schemas: {
        CreatePaymentIntent: requestSchema(),
        CreatedPaymentIntent: responseSchema(CreatedPaymentIntentSchema, { rules: intentRules }),
        PaymentIntent: responseSchema(PaymentIntentSchema, { rules: intentRules }),
        Problem: responseSchema(ProblemResponse),
      },
    },
  }
}

function createOperation(): object {
  return {
    operationId: 'createPaymentIntent',
    summary: 'Create a Payment Intent',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description:
          'The same key for each retry of an order with the same body, for at least 24 hours',
        schema: {
          type: 'string',
          minLength: 1,
          maxLength: limits.idempotencyKey,
          pattern: '^[!-~]+$',
        },
      },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: reference('CreatePaymentIntent'), example: exampleBody },
      },
    },
    responses: {
      201: {
        description: 'The intent with its secret, which is for the paying browser only',
        headers: headersOf(
          'Request-Id',
          'Payment-Intents-Profile',
          'Location',
          'Idempotent-Replayed',
        ),
        content: { 'application/json': { schema: reference('CreatedPaymentIntent') } },
      },
      ...problems(operationProblems.create),
    },
  }
}

function retrieveOperation(): DescribedOperation {
  return {
    operationId: 'retrievePaymentIntent',
    summary: 'Retrieve a Payment Intent',
    responses: {
      200: {
        description: 'The current intent, without its secret',
        headers: headersOf('Request-Id', 'Payment-Intents-Profile'),
        content: { 'application/json': { schema: reference('PaymentIntent') } },
      },
      ...problems(operationProblems.retrieve),
    },
  }
}

function headOperation(): object {
  const { responses, ...operation } = retrieveOperation()
  return {
    ...operation,
    operationId: 'checkPaymentIntent',
    summary: 'Check a Payment Intent: the response of GET without its body',
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { content: _, ...response }]) => [status, response]),
    ),
  }
}

interface DescribedOperation {
  readonly [field: string]: unknown
  readonly responses: Readonly<
    Record<string, { readonly content?: object; readonly [field: string]: unknown }>
  >
}

const exampleBody = {
  amount: 150000,
  currency: 'AMD',
  orderId: 'A-1001',
  customer: { id: 'cus_17', email: 'anahit@example.com' },
  metadata: { cart: 'c-204' },
}

/** Returns one response for each HTTP status, as OpenAPI requires. Descriptions list the codes. */
function problems(codes: readonly ProblemCode[]): DescribedOperation['responses'] {
  const grouped = new Map<number, ProblemCode[]>()
  for (const code of codes) {
    const { status } = problemCodes[code]
    grouped.set(status, [...(grouped.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...grouped].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${problemCodes[code].title}`).join('. '),
        headers: headersOf(
          'Request-Id',
          'Payment-Intents-Profile',
          ...(statusHeaders[status] ?? []),
        ),
        content: {
          [problemMediaType]: {
            schema: reference('Problem'),
            examples: Object.fromEntries(group.map((code) => [code, { value: example(code) }])),
          },
        },
      },
    ]),
  )
}

function example(code: ProblemCode): z.infer<typeof ProblemResponse> {
  const { status, title, retryable } = problemCodes[code]
  const error = {
    pointer: '/amount',
    code: 'too_small',
    detail: 'amount must be at least 1 minor unit',
  } as const
  return {
    type: `/docs#${code}`,
    title,
    status,
    detail: `${title}.`,
    code,
    requestId: 'req_4kJv0Qm2Xc8ZtYb1Lw9R',
    retryable,
    errors: code === 'validation_failed' ? [error] : [],
  }
}

/** Headers of responses, each with a text and the rules of its value. */
const headers = {
  'Request-Id': {
    description:
      'Id of this response. The inspector shows it, and the log contains it if the service failed (with PI_LOG_LEVEL=debug, for every response)',
    pattern: '^req_[A-Za-z0-9]{20}$',
  },
  'Payment-Intents-Profile': {
    description: 'Names the statuses and errors of this service for clients of the specification',
    enum: [ownProfileName],
  },
  Location: { description: 'Path of the intent' },
  'Idempotent-Replayed': {
    description: '`true` if an earlier request with this key created the intent',
    enum: ['true'],
  },
  'WWW-Authenticate': { description: '`Bearer`; with `error="invalid_token"` if a key was sent' },
  'Accept-Post': { description: 'The media type to send' },
  Allow: { description: 'The methods of this path' },
  'Retry-After': {
    description: 'Seconds to wait before the same request is sent again',
    pattern: '^[0-9]+$',
  },
  RateLimit: {
    description: 'Remaining requests: `"default";r=0;t=3` means none for 3 seconds',
  },
  'RateLimit-Policy': {
    description: 'Limit: `"default";q=200;w=2` means 200 requests in 2 seconds',
  },
}

/** Headers of the problems with a status, besides those of each response. */
const statusHeaders: Readonly<Record<number, readonly (keyof typeof headers)[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  415: ['Accept-Post'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
  504: ['Retry-After'],
}

function headersOf(...names: readonly (keyof typeof headers)[]): Record<string, object> {
  const reference = (name: string) => ({ $ref: `#/components/headers/${componentOf(name)}` })
  return Object.fromEntries(names.map((name) => [name, reference(name)]))
}

function componentOf(header: string): string {
  return header.replace('WWW', 'Www').replaceAll('-', '')
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` }
}
