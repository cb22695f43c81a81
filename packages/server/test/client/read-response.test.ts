import { expect, test } from 'vitest'
import { type Outcome, PaymentIntents, type PiErrorCode } from '../../src/index.ts'
import {
  apiKey,
  clientOf,
  created,
  failureOf,
  html,
  order,
  problem,
  redirect,
  reset,
  retrieved,
  retryAtOnce,
  type Step,
  sever,
  silent,
  stall,
} from '../scripted-service.ts'

retryAtOnce()

/** Commits, and resets instead of responding. */
const resetAfterCommit: Step = (response) => {
  response.writeHead(201).flushHeaders()
  response.socket?.resetAndDestroy()
}

/** Sends a byte every 20 ms, without an end. */
const drip: Step = (response) => {
  response.writeHead(201)
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

const list: Step = (response) => {
  response.writeHead(201, { 'payment-intents-profile': 'pi-checkout' }).end('[]')
}

type Facts = readonly [Step, PiErrorCode, Outcome, retryable?: 'retryable']
type Row = readonly [what: string, ...Facts]

const of = (
  statuses: readonly number[],
  step: (status: number) => Step,
  ...facts: [PiErrorCode, Outcome, 'retryable'?]
): Row[] => statuses.map((status) => [`is ${status}`, step(status), ...facts])
const unnamed = (status: number): Step => problem(status, 'x')

/** What the error of a create says about each response. */
const rows: readonly Row[] = [
  ['is reset', reset, 'connection_lost', 'unknown', 'retryable'],
  ['is reset after its head', resetAfterCommit, 'connection_lost', 'unknown', 'retryable'],
  ['ends within its body', sever(), 'connection_lost', 'unknown', 'retryable'],
  ['never begins', silent, 'timed_out', 'unknown', 'retryable'],
  ['stalls', stall, 'timed_out', 'unknown', 'retryable'],
  ['never ends', drip, 'timed_out', 'unknown', 'retryable'],
  ['is a page', html(), 'not_json', 'unknown', 'retryable'],
  ['is a list', list, 'contract_broken', 'unknown'],
  ['has a malformed amount', created({ amount: 'x' }), 'contract_broken', 'unknown'],
  ['has no secret', created({ clientSecret: null }), 'contract_broken', 'unknown'],
  ['has another order', created({ orderId: 'B-2' }), 'contract_broken', 'unknown'],
  ['has another amount', created({ amount: 1 }), 'contract_broken', 'unknown'],
  ['has another currency', created({ currency: 'USD' }), 'contract_broken', 'unknown'],
  ['has a malformed id', created({ id: 'a/b' }), 'contract_broken', 'unknown'],
  ...of([300, 399], (status) => redirect(status, '/'), 'redirect_refused', 'unknown'),
  ...of([400, 404, 410, 418, 424, 499], unnamed, 'unexpected_response', 'rejected'),
  ...of([400], html, 'unexpected_response', 'rejected'),
  ...of([403], sever, 'unexpected_response', 'rejected'),
  ...of([425, 429], unnamed, 'unexpected_response', 'rejected', 'retryable'),
  ...of([408, 500, 503, 599], unnamed, 'unexpected_response', 'unknown', 'retryable'),
  ...of([409, 502], html, 'unexpected_response', 'unknown', 'retryable'),
  ...of([409], sever, 'unexpected_response', 'unknown', 'retryable'),
  ['is unauthorized', problem(401, 'invalid_credentials'), 'invalid_credentials', 'rejected'],
  ['is a conflict', problem(409, 'version_conflict'), 'unexpected_response', 'rejected'],
  ...of(
    [409, 422],
    (status) => problem(status, 'idempotency_key_reused'),
    'idempotency_key_reused',
    'rejected',
  ),
  [
    'is a running request',
    problem(409, 'idempotency_key_in_use'),
    'idempotency_key_in_use',
    'unknown',
    'retryable',
  ],
]

const transports = [
  ['node:http', undefined],
  ['fetch', fetch],
] as const
const cases = transports.flatMap(([name, fetch]) =>
  rows.map(([what, ...facts]) => [what, name, fetch, facts] as const),
)
test.concurrent.each(cases)(
  'a create whose response %s has an outcome, and is repeated with the same key and bytes, with %s',
  async (_what, _name, fetch, [step, code, outcome, retryable]) => {
    // A busy host must not end another request.
    const timeout = code === 'timed_out' ? 1000 : 8000
    const script = retryable ? [step, step, created()] : [step, created()]
    const { service, intents } = await clientOf(script, { maxRetries: 1, timeout, fetch })
    const error = await failureOf(intents.create(order))
    expect(error).toMatchObject({ code, outcome, retryable: retryable !== undefined })
    expect(service.requests).toHaveLength(script.length - 1)
    await intents.create(order)
    const sent = service.requests.map(({ method, url, headers, body }) => {
      const { authorization, 'content-type': type, 'idempotency-key': key } = headers
      return { method, url, authorization, type, key, body }
    })
    expect(sent).toEqual(script.map(() => sent[0]))
    expect(error.idempotencyKey).toBe(sent[0]?.key)
  },
)

test('an error names what was tried, what came back, and what it means', async () => {
  const unavailable = problem(503, 'store_unavailable')
  const broken = created({ amount: 'x', customer: { id: 7 } })
  const script = [unavailable, unavailable, broken, retrieved({ id: 'x' })]
  const { intents } = await clientOf(script, { maxRetries: 1 })
  const error = await failureOf(intents.create(order))
  expect(error).toMatchObject({ status: 503, code: 'store_unavailable', requestId: 'req_1' })
  const unknown = 'an intent may exist: the same call again finds it'
  const messages = [error, await failureOf(intents.create(order))].map(({ message }) => message)
  expect([...messages, (await failureOf(intents.retrieve('pi_1'))).message]).toEqual([
    `POST /payment-intents was rejected with 503 store_unavailable (request 2); ${unknown}`,
    `POST /payment-intents returned 201, but it violates the specification in amount, customer.id; ${unknown}`,
    'GET /payment-intents/:id returned 200, but it is another intent',
  ])
})

test('a rejection after a lost response may be one of a create that succeeded', async () => {
  const { intents } = await clientOf([reset, problem(401, 'revoked_credentials')])
  const facts = { code: 'revoked_credentials', outcome: 'unknown', retryable: false }
  expect(await failureOf(intents.create(order))).toMatchObject(facts)
})

test.each(['http://127.0.0.1:1', 'https://nowhere.invalid'])(
  'sends nothing to %s, where no service is',
  async (baseUrl) => {
    const error = await failureOf(new PaymentIntents({ apiKey, baseUrl }).create(order))
    const message = expect.stringContaining('(request 4)')
    const facts = { code: 'not_connected', outcome: 'not_sent', retryable: true }
    expect(error).toMatchObject({ ...facts, message })
  },
)

/** Codes of a transport, before or after the request was sent. */
const reported = {
  not_connected: [
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'UND_ERR_CONNECT_TIMEOUT',
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ],
  connection_lost: ['ECONNRESET', 'ECONNREFUSEDX', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', ''],
}
test.each(Object.entries(reported))('a fetch that fails is %s after %j', async (code, reasons) => {
  for (const reason of reasons) {
    const cause = reason ? Object.assign(new Error('x'), { code: reason }) : 'no error'
    for (const thrown of [cause, new Error('y', { cause })]) {
      const fetch = () => Promise.reject(thrown)
      const { intents } = await clientOf([reset], { fetch, maxRetries: 0 })
      const outcome = code === 'connection_lost' ? 'unknown' : 'not_sent'
      expect(await failureOf(intents.create(order))).toMatchObject({ code, outcome })
    }
  }
})
