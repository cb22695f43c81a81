import { expect, test } from 'vitest'
import { PaymentIntents, type PiError } from '../../src/index.ts'
import {
  apiKey,
  clientOf,
  created,
  createdAfter,
  drip,
  failureOf,
  html,
  order,
  problem,
  redirect,
  reset,
  retrieved,
  retryAtOnce,
  type ScriptedService,
  type Step,
  sever,
  silent,
  stall,
} from '../scripted-service.ts'

retryAtOnce()

const consequences = {
  rejected: 'no intent was created',
  unknown: 'an intent may exist: the same call again finds it',
}
const rejected = { code: 'unexpected_response', outcome: 'rejected', retryable: false } as const
const unknown = { ...rejected, outcome: 'unknown' } as const
const transient = { ...unknown, retryable: true } as const
const broken = { ...unknown, code: 'contract_broken', status: 201 } as const
const redirected = { ...unknown, code: 'redirect_refused', requestId: undefined } as const
const lost = { ...transient, code: 'connection_lost' } as const
const timedOut = { ...transient, code: 'timed_out' } as const

type Facts = Partial<PiError> & { readonly outcome: 'rejected' | 'unknown' }
type Row = readonly [event: string, step: Step, facts: Facts]

/** Sends a status and half of a body. */
function severed(status: number): Step {
  return (response) => {
    response.writeHead(status, { 'content-length': '500' })
    response.write('{"code":"', () => response.socket?.destroy())
  }
}

/** Commits, and resets instead of responding. */
const resetAfterCommit: Step = (response) => {
  response.writeHead(201, { 'content-type': 'application/json' }).flushHeaders()
  response.socket?.resetAndDestroy()
}

const timeouts = [silent, stall, drip, createdAfter(1500)].map(
  (step): Row => ['got no complete response within 1000 ms', step, timedOut],
)
const statuses = (codes: readonly number[], facts: Facts): readonly Row[] =>
  codes.map((status) => [`was rejected with ${status}`, problem(status, 'x'), { ...facts, status }])

/** What a response to a create results in, and how the error explains it. */
const responses: readonly Row[] = [
  ...[reset, resetAfterCommit, sever].map(
    (step): Row => ['got no complete response (CODE)', step, lost],
  ),
  ...timeouts,
  [
    'returned 200 with a body that is not JSON',
    html(),
    { ...transient, code: 'not_json', status: 200, requestId: undefined },
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
    (status): Row => [
      'returned a redirect, which is not followed',
      redirect(status, '/'),
      { ...redirected, status },
    ],
  ),
  [
    'was rejected with 401 invalid_credentials',
    problem(401, 'invalid_credentials'),
    { ...rejected, code: 'invalid_credentials', status: 401, requestId: 'req_1' },
  ],
  ['was rejected with 400', html(400), { ...rejected, status: 400, requestId: undefined }],
  ['was rejected with 403', severed(403), { ...rejected, status: 403 }],
  ['was rejected with 409', problem(409, 'version_conflict'), { ...rejected, status: 409 }],
  ...statuses([400, 404, 406, 410, 418, 424, 426, 428, 430, 499], rejected),
  [
    'was rejected with 409 idempotency_key_reused',
    problem(409, 'idempotency_key_reused'),
    { ...rejected, code: 'idempotency_key_reused', status: 409 },
  ],
  [
    'was rejected with 422 idempotency_key_reused',
    problem(422, 'idempotency_key_reused'),
    { ...rejected, code: 'idempotency_key_reused', status: 422 },
  ],
  ['was rejected with 502', html(502), { ...transient, status: 502 }],
  ['was rejected with 409', severed(409), { ...transient, status: 409 }],
  ['was rejected with 409', html(409), { ...transient, status: 409 }],
  ...statuses([408, 500, 503, 599], transient),
  ...statuses([425, 429], { ...transient, outcome: 'rejected' }),
  [
    'was rejected with 500 internal_error',
    problem(500, 'internal_error'),
    { ...transient, code: 'internal_error', status: 500 },
  ],
  [
    'was rejected with 409 idempotency_key_in_use',
    problem(409, 'idempotency_key_in_use'),
    { ...transient, code: 'idempotency_key_in_use', status: 409 },
  ],
  [
    'was rejected with 408 request_timeout',
    problem(408, 'request_timeout'),
    { ...transient, code: 'request_timeout', status: 408 },
  ],
]

const transports = [
  ['node:http', undefined],
  ['fetch', fetch],
] as const
const cases = transports.flatMap(([name, fetch]) =>
  responses.map(([event, step, facts]) => {
    // A busy host must not end another request.
    const timeout = facts.code === 'timed_out' ? 1000 : 8000
    return [event, name, { step, facts, timeout, fetch }] as const
  }),
)

test.concurrent.each(cases)(
  'a create that %s has the facts, with %s (threat 6)',
  async (event, _, row) => {
    const { step, facts, timeout, fetch } = row
    const { service, intents } = await clientOf([step], { maxRetries: 1, timeout, fetch })
    const error = await failureOf(intents.create(order))
    const number = facts.retryable ? ' (request 2)' : ''
    expect(error).toMatchObject({ ...facts, idempotencyKey: service.keys()[0] })
    // The code of a lost connection depends on the transport.
    expect(error.message.replace(/\((ECONN|UND_ERR)\w+\)/, '(CODE)')).toBe(
      `POST /payment-intents ${event}${number}; ${consequences[facts.outcome]}`,
    )
    const sent = facts.retryable ? 2 : 1
    expect([error.requests.length, service.requests.length, bytesOf(service)]).toEqual([
      sent,
      sent,
      1,
    ])
  },
)

const transientCases = cases.filter(([, , { facts }]) => facts.retryable)
test.concurrent.each(transientCases)(
  'a create that %s once finds its intent by the same key and bytes, with %s',
  async (_, _transport, { step, timeout, fetch }) => {
    const { service, intents } = await clientOf([step, created()], { timeout, fetch })
    await intents.create(order)
    expect([service.requests.length, bytesOf(service)]).toEqual([2, 1])
  },
)

/** Returns the number of different requests: a retry must not change anything in them. */
function bytesOf({ requests }: ScriptedService): number {
  const sent = requests.map(({ method, url, headers, body }) => {
    const { authorization, 'content-type': type, 'idempotency-key': key } = headers
    return JSON.stringify([method, url, authorization, type, key, body])
  })
  return new Set(sent).size
}

test('a rejection after a lost response may be one of a create that succeeded', async () => {
  const { intents } = await clientOf([reset, problem(401, 'revoked_credentials')])
  const facts = { code: 'revoked_credentials', outcome: 'unknown', retryable: false }
  expect(await failureOf(intents.create(order))).toMatchObject(facts)
})

test.each([
  ['a closed port', 'http://127.0.0.1:1'],
  ['an unknown host name', 'https://nowhere.invalid'],
])('%s: sends nothing', async (_, baseUrl) => {
  const error = await failureOf(new PaymentIntents({ apiKey, baseUrl }).create(order))
  const facts = { code: 'not_connected', outcome: 'not_sent', retryable: true }
  expect(error).toMatchObject({ ...facts, requests: { length: 4 } })
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
    expect(error).toMatchObject({ code, outcome })
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
    ...unknown,
    code: 'contract_broken',
    status: 200,
    message: 'GET /payment-intents/:id returned 200, but it is another intent',
  })
})
