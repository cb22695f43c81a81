import { expect, test } from 'vitest'
import { PiError } from '../../src/index.ts'
import { fakeTime } from '../../src/testing/fake-service.ts'
import {
  clientOf,
  created,
  html,
  order,
  problem,
  redirect,
  reset,
  retrieved,
  type Step,
  sever,
} from '../scripted-service.ts'

async function failureOf(call: Promise<unknown>): Promise<PiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!PiError.is(error)) throw new Error('the call did not fail')
  return error
}

const consequences = {
  rejected: 'no intent was created',
  unknown: 'an intent may exist: the same call again finds it',
}
const rejected = { code: 'unexpected_response', outcome: 'rejected', retryable: false } as const
const unknown = { ...rejected, outcome: 'unknown' } as const
const broken = { ...unknown, code: 'contract_broken', status: 201 } as const
const lost = { code: 'connection_lost', outcome: 'unknown', retryable: true } as const
const redirected = { ...unknown, code: 'redirect_refused', requestId: undefined } as const

type Facts = { readonly outcome: 'rejected' | 'unknown'; readonly code: string }

/** What a response to a create results in, and how the error explains it. */
const responses: readonly (readonly [event: string, Step, Facts & Partial<PiError>])[] = [
  ['got no complete response (ECONNRESET)', reset, lost],
  ['got no complete response (ECONNRESET)', sever, lost],
  [
    'returned 200 with a body that is not JSON',
    html(),
    { ...lost, code: 'not_json', status: 200, requestId: undefined },
  ],
  [
    'returned 201, but it violates the specification in the whole body',
    (response) => void response.writeHead(201).end('[]'),
    { ...broken, requestId: undefined },
  ],
  [
    'returned 201, but it violates the specification in amount, customer.id',
    created({ amount: 'x', customer: { id: 7 } }),
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
  ['was rejected with 502', html(502), { ...unknown, retryable: true, status: 502 }],
  [
    'was rejected with 409 idempotency_key_in_use',
    problem(409, 'idempotency_key_in_use'),
    { ...lost, code: 'idempotency_key_in_use', status: 409 },
  ],
  ['was rejected with 409', problem(409, 'version_conflict'), { ...rejected, status: 409 }],
  [
    'was rejected with 408 request_timeout',
    problem(408, 'request_timeout'),
    { ...lost, code: 'request_timeout', status: 408 },
  ],
  [
    'was rejected with 422 idempotency_key_reused',
    problem(422, 'idempotency_key_reused'),
    { ...rejected, code: 'idempotency_key_reused', status: 422 },
  ],
]

test.each(responses)('a create that %s has the facts', async (event, step, facts) => {
  const { intents } = await clientOf([step], { maxRetries: 0 })
  const error = await failureOf(intents.create(order))
  expect(error).toMatchObject(facts)
  expect(error.message).toBe(`POST /payment-intents ${event}; ${consequences[facts.outcome]}`)
})

/** Codes of a transport, before or after the request was sent. */
test.each([
  ...[
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'UND_ERR_CONNECT_TIMEOUT',
    'FailedToOpenSocket',
  ].map((code) => [code, 'not_connected', 'not_sent', true] as const),
  ...['ECONNRESET', 'XECONNREFUSED', 'ECONNREFUSEDX', 'EPIPE', 'EPROTO'].map(
    (code) => [code, 'connection_lost', 'unknown', true] as const,
  ),
  ...[
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
  ].map((code) => [code, 'tls_failed', 'not_sent', false] as const),
  ...[
    'XCERT_',
    'HOSTNAME_MISMATCHX',
    'ERR_SSL_HTTP_REQUESTX',
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CAX',
  ].map((code) => [code, 'connection_lost', 'unknown', true] as const),
])('a transport that fails with %s is %s, %s', async (reported, code, outcome, retryable) => {
  for (const depth of [0, 1, 6]) {
    let cause = Object.assign(new Error('x'), { code: reported })
    for (let level = 0; level < depth; level++) cause = new Error('y', { cause }) as typeof cause
    const fetch = () => Promise.reject(cause)
    const { intents } = await clientOf([reset], { fetch, maxRetries: 0, ...fakeTime() })
    const error = await failureOf(intents.create(order))
    const expected =
      depth === 6 ? { code: 'connection_lost', outcome: 'unknown' } : { code, outcome, retryable }
    expect(error).toMatchObject(expected)
    if (depth < 6) expect(error.requests[0]?.code).toBe(reported)
  }
})

test('a create after two requests counts them, and a retrieve has no consequence', async () => {
  const unavailable = problem(503, 'store_unavailable')
  const { intents } = await clientOf([unavailable, unavailable, retrieved({ id: 'x' })], {
    maxRetries: 1,
    ...fakeTime(),
  })
  expect((await failureOf(intents.create(order))).message).toBe(
    `POST /payment-intents was rejected with 503 store_unavailable (request 2); ${consequences.unknown}`,
  )
  expect((await failureOf(intents.retrieve('pi_1'))).message).toBe(
    'GET /payment-intents/:id returned 200, but it is another intent',
  )
})
