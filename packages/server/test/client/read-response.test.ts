import { expect, test } from 'vitest'
import type { PiError } from '../../src/index.ts'
import {
  clientOf,
  created,
  failureOf,
  html,
  order,
  problem,
  redirect,
  reset,
  retrieved,
  type Step,
  sever,
} from '../scripted-service.ts'

const consequences = {
  rejected: 'no intent was created',
  unknown: 'an intent may exist: the same call again finds it',
}
const rejected = {
  name: 'ApiError',
  code: 'unexpected_response',
  outcome: 'rejected',
  retryable: false,
} as const
const unknown = { ...rejected, outcome: 'unknown' } as const
const transient = { ...unknown, retryable: true } as const
const contract = { ...unknown, name: 'ContractError' } as const
const broken = { ...contract, code: 'contract_broken', status: 201 } as const
const redirected = { ...contract, code: 'redirect_refused', requestId: undefined } as const
const lost = { ...transient, name: 'ConnectionError', code: 'connection_lost' } as const
const reused = { ...rejected, name: 'IdempotencyConflictError' } as const

type Facts = { readonly outcome: 'rejected' | 'unknown'; readonly code: string }

/** Sends a status and half of a body. */
function severed(status: number): Step {
  return (response) => {
    response.writeHead(status, { 'content-length': '500' })
    response.write('{"code":"', () => response.socket?.destroy())
  }
}

/** What a response to a create results in, and how the error explains it. */
const responses: readonly (readonly [event: string, Step, Facts & Partial<PiError>])[] = [
  ['got no complete response (ECONNRESET)', reset, lost],
  ['got no complete response (ECONNRESET)', sever, lost],
  [
    'returned 200 with a body that is not JSON',
    html(),
    { ...contract, code: 'not_json', status: 200, requestId: undefined, retryable: true },
  ],
  [
    'returned 201, but it violates the specification in the whole body',
    (response) => void response.writeHead(201).end('[]'),
    { ...broken, requestId: undefined },
  ],
  [
    'returned 201, but it violates the specification in amount, customer.id, clientSecret',
    created({ amount: 'x', customer: { id: 7 }, clientSecret: null }),
    { ...broken, requestId: 'req_1' },
  ],
  ['returned 201, but it has another orderId', created({ orderId: 'B-2' }), broken],
  ['returned 201, but it has another amount', created({ amount: 1 }), broken],
  ['returned 201, but it has another currency', created({ currency: 'USD' }), broken],
  ['returned 201, but its id is malformed', created({ id: 'a/b' }), broken],
  ...[300, 399].map(
    (status) =>
      [
        'returned a redirect, which is not followed',
        redirect(status, '/'),
        { ...redirected, status },
      ] as const,
  ),
  [
    'was rejected with 401 invalid_credentials',
    problem(401, 'invalid_credentials'),
    { ...rejected, code: 'invalid_credentials', status: 401, requestId: 'req_1' },
  ],
  ['was rejected with 418', problem(418, 'teapot'), { ...rejected, status: 418 }],
  ['was rejected with 499', problem(499, 'x'), { ...rejected, status: 499 }],
  ['was rejected with 400', html(400), { ...rejected, status: 400, requestId: undefined }],
  ['was rejected with 502', html(502), { ...transient, status: 502 }],
  [
    'was rejected with 500 internal_error',
    problem(500, 'internal_error'),
    { ...transient, code: 'internal_error', status: 500 },
  ],
  ['was rejected with 409', severed(409), { ...transient, status: 409 }],
  ['was rejected with 409', html(409), { ...transient, status: 409 }],
  ['was rejected with 403', severed(403), { ...rejected, status: 403 }],
  [
    'was rejected with 409 idempotency_key_in_use',
    problem(409, 'idempotency_key_in_use'),
    { ...transient, code: 'idempotency_key_in_use', status: 409 },
  ],
  ['was rejected with 409', problem(409, 'version_conflict'), { ...rejected, status: 409 }],
  [
    'was rejected with 408 request_timeout',
    problem(408, 'request_timeout'),
    { ...transient, code: 'request_timeout', status: 408 },
  ],
  [
    'was rejected with 422 idempotency_key_reused',
    problem(422, 'idempotency_key_reused'),
    { ...reused, code: 'idempotency_key_reused', status: 422 },
  ],
]

test.each(responses)('a create that %s has the facts', async (event, step, facts) => {
  const { intents } = await clientOf([step], { maxRetries: 0 })
  const error = await failureOf(intents.create(order))
  expect(error).toMatchObject(facts)
  expect(error.message).toBe(`POST /payment-intents ${event}; ${consequences[facts.outcome]}`)
})

/** Codes of a transport, before or after the request was sent. */
const transportCodes = {
  not_connected: ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'],
  connection_lost: ['ECONNRESET', 'ECONNREFUSEDX', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  tls_failed: [
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ],
}
const transportFailures = Object.entries(transportCodes).flatMap(([code, all]) =>
  all.map((reported) => [reported, code] as const),
)
test.each(transportFailures)('a transport that fails with %s is %s', async (reported, code) => {
  const failure = Object.assign(new Error('x'), { code: reported })
  for (const cause of [failure, new Error('y', { cause: failure })]) {
    const fetch = () => Promise.reject(cause)
    const { intents } = await clientOf([reset], { fetch, maxRetries: 0 })
    const error = await failureOf(intents.create(order))
    const outcome = code === 'connection_lost' ? 'unknown' : 'not_sent'
    expect(error).toMatchObject({ name: 'ConnectionError', code, outcome })
    expect(error.retryable).toBe(code !== 'tls_failed')
    expect(error.message).toContain(`(${reported})`)
  }
})

test.each([
  ['no error', 'connection_lost'],
  [new Error('getaddrinfo failed for redirect.example'), 'connection_lost'],
])('a fetch that rejects with %s is %s', async (thrown, code) => {
  const fetch = () => Promise.reject(thrown)
  const { intents } = await clientOf([reset], { fetch, maxRetries: 0 })
  expect(await failureOf(intents.create(order))).toMatchObject({ code, outcome: 'unknown' })
})

test('a create after two requests counts them, and a retrieve has no consequence (threat 6)', async () => {
  const unavailable = problem(503, 'store_unavailable')
  const { intents } = await clientOf([unavailable, unavailable, retrieved({ id: 'x' })], {
    maxRetries: 1,
  })
  const error = await failureOf(intents.create(order))
  const request = {
    status: 503,
    code: 'store_unavailable',
    requestId: 'req_1',
    ms: expect.any(Number),
  }
  expect(error.requests).toEqual([request, request])
  expect(error.message).toBe(
    `POST /payment-intents was rejected with 503 store_unavailable (request 2); ${consequences.unknown}`,
  )
  expect(await failureOf(intents.retrieve('pi_1'))).toMatchObject({
    ...contract,
    code: 'contract_broken',
    status: 200,
    message: 'GET /payment-intents/:id returned 200, but it is another intent',
  })
})
