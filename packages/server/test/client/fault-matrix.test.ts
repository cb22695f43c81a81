import { setTimeout as sleep } from 'node:timers/promises'
import { startSite } from '@pi-checkout/test-support/sites'
import { beforeAll, expect, test } from 'vitest'
import { optionsWith } from '../../src/client/test-time.ts'
import {
  ApiError,
  ConnectionError,
  ContractError,
  IdempotencyConflictError,
  type Outcome,
  PaymentIntents,
  PiError,
  type PiErrorCode,
} from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import {
  apiKey,
  created,
  drip,
  html,
  order,
  problem,
  redirect,
  reset,
  type ScriptedService,
  type SeenRequest,
  type Step,
  scriptedService,
  sever,
  silent,
  stall,
} from '../scripted-service.ts'

type End =
  | 'created'
  | readonly [code: PiErrorCode, outcome: Outcome, type?: abstract new (...args: never) => PiError]

/** What one call results in: how often it is sent, and what its caller gets. */
type Row = readonly [fault: string, script: readonly Step[], sent: number, end: End]

const lost: End = ['connection_lost', 'unknown', ConnectionError]
const timedOut: End = ['timed_out', 'unknown', ConnectionError]
const broken: End = ['contract_broken', 'unknown', ContractError]
const inUse = problem(409, 'idempotency_key_in_use')

/** Commits, and resets instead of responding. */
const resetAfterCommit: Step = (response) => {
  response.writeHead(201, { 'content-type': 'application/json' })
  response.flushHeaders()
  response.socket?.resetAndDestroy()
}

const delayed: Step = async (response, request) => {
  await sleep(1500)
  await created()(response, request)
}

/** Faults that a request's timeout ends. With others a busy host must not end a request. */
const timedFaults: readonly Step[] = [silent, stall, drip, delayed]

/** An error that is retried until it ends. */
function transient(status: number, code: PiErrorCode, outcome: Outcome): Row[] {
  const step = problem(status, code)
  return [
    [`${status}, once`, [step, created()], 2, 'created'],
    [`${status}, always`, [step], 4, [code, outcome, ApiError]],
  ]
}

/** A body or a connection that fails. */
function lossy(fault: string, step: Step, end: End): Row[] {
  return [
    [`${fault}, once`, [step, created()], 2, 'created'],
    [`${fault}, always`, [step], 4, end],
  ]
}

const rows: readonly Row[] = [
  ['no fault', [created()], 1, 'created'],
  ...lossy('reset before the commit', reset, lost),
  ...lossy('reset after the commit', resetAfterCommit, lost),
  ...lossy('no response', silent, timedOut),
  ...lossy('a stalled body', stall, timedOut),
  ...lossy('a dripping body', drip, timedOut),
  ...lossy('a severed body', sever, lost),
  ...lossy('HTML with 200', html(), ['not_json', 'unknown', ContractError]),
  ['a slow first response, past its timeout', [delayed, created()], 2, 'created'],
  [
    'reset, then rejected',
    [reset, problem(401, 'revoked_credentials')],
    2,
    ['revoked_credentials', 'unknown'],
  ],
  ...transient(408, 'request_timeout', 'unknown'),
  ...transient(409, 'idempotency_key_in_use', 'unknown'),
  ['409 in use, twice', [inUse, inUse, created()], 3, 'created'],
  [
    '409 of another kind',
    [problem(409, 'version_conflict')],
    1,
    ['unexpected_response', 'rejected'],
  ],
  ['425, once', [problem(425, 'too_early'), created()], 2, 'created'],
  ...transient(429, 'rate_limited', 'rejected'),
  [
    '429 with a wait beyond the deadline',
    [problem(429, 'rate_limited', { 'retry-after': '30' })],
    1,
    ['rate_limited', 'rejected'],
  ],
  ...transient(500, 'internal_error', 'unknown'),
  ['502 of a proxy, in HTML', [html(502)], 4, ['unexpected_response', 'unknown']],
  ...transient(503, 'store_unavailable', 'unknown'),
  ...transient(504, 'timeout', 'unknown'),
  ...[301, 302, 303, 307, 308].map((status): Row => {
    const end: End = ['redirect_refused', 'unknown', ContractError]
    return [`a redirect with ${status}`, [redirect(status, 'http://127.0.0.1:9/')], 1, end]
  }),
  ...[{ orderId: 'B-2' }, { amount: 1 }, { currency: 'RUB' }, { clientSecret: null }].map(
    (change): Row => [
      `a response with another ${Object.keys(change)}`,
      [created(change)],
      1,
      broken,
    ],
  ),
  ...(
    [
      [400, 'validation_failed'],
      [401, 'invalid_credentials'],
      [403, 'secret_key_in_browser'],
      [404, 'not_found'],
      [413, 'payload_too_large'],
    ] as const
  ).map(
    ([status, code]): Row => [
      `${status}`,
      [problem(status, code)],
      1,
      [code, 'rejected', ApiError],
    ],
  ),
  [
    '422',
    [problem(422, 'idempotency_key_reused')],
    1,
    ['idempotency_key_reused', 'rejected', IdempotencyConflictError],
  ],
]

const deadline = 8000

// Modules that load once must not count against the timeout of the first row.
beforeAll(async () => {
  await new PaymentIntents({ ...fakeService().options }).create(order)
  const site = await startSite((_request, response) => void response.end())
  await fetch(site.origin)
  await site.close()
})

const transports: [string, { readonly fetch?: typeof globalThis.fetch }][] = [
  ['node:http', {}],
  ['fetch', { fetch: globalThis.fetch }],
]
const cases = transports.flatMap(([transport, options]) =>
  rows.map(
    ([fault, script, sent, end]) => [transport, fault, sent, { options, script, end }] as const,
  ),
)

test.concurrent.each(cases)(
  '%s, %s: sends one key and one body %i × (threats 3, 6)',
  async (_transport, _fault, sent, { options, script, end }) => {
    const service = await scriptedService(...script)
    const intents = new PaymentIntents({
      apiKey,
      baseUrl: service.url,
      timeout: script.some((step) => timedFaults.includes(step)) ? 1000 : deadline,
      totalTimeout: deadline,
      ...optionsWith({ random: () => 0.2 }),
      ...options,
    })
    const startedAt = performance.now()
    // A timer that starts with the call: a busy host delays both.
    const late = sleep(deadline + 300).then(() => 'more than 300 ms after the deadline')
    const call = intents.create(order).then(
      () => 'created',
      (error: PiError) => error,
    )
    const result = await Promise.race([call, late])
    if (typeof result === 'string' || end === 'created') {
      expect(result).toBe(end)
    } else {
      const [code, outcome, type = PiError] = end
      expect(result).toBeInstanceOf(type)
      expect(result).toMatchObject({ code, outcome, idempotencyKey: service.keys()[0] })
      expect(result.requests).toHaveLength(sent)
      const spent = result.requests.reduce((sum, { ms }) => sum + ms, 0)
      expect(spent).toBeLessThanOrEqual(performance.now() - startedAt + sent)
    }
    expect(service.requests).toHaveLength(sent)
    expect(service.keys()).toHaveLength(1)
    expect(bytesOf(service)).toHaveLength(1)
  },
)

test.each([
  ['a closed port', 'http://127.0.0.1:1'],
  ['an unknown host name', 'https://nowhere.invalid'],
])('%s: sends nothing', async (_, baseUrl) => {
  const intents = new PaymentIntents({ apiKey, baseUrl, ...optionsWith({ random: () => 0 }) })
  await expect(intents.create(order)).rejects.toMatchObject({
    code: 'not_connected',
    outcome: 'not_sent',
    retryable: true,
    requests: { length: 4 },
  })
})

/** Everything in a request that a retry must not change. */
function bytesOf({ requests }: ScriptedService): string[] {
  const sent = ({ method, url, headers, body }: SeenRequest): string => {
    const { authorization, 'content-type': type, 'idempotency-key': key } = headers
    return JSON.stringify([method, url, authorization, type, key, body])
  }
  return [...new Set(requests.map(sent))]
}
