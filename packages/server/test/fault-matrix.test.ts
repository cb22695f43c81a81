import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { type Outcome, PaymentIntents, type PiError, type PiErrorCode } from '../src/index.ts'
import { fakeService } from '../src/testing.ts'
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
} from './scripted-service.ts'

/** What one call comes to: how often it was sent, and what its caller knows afterwards. */
interface Row {
  readonly fault: string
  readonly script: Step[]
  readonly sent: number
  readonly ends: 'created' | { readonly code: PiErrorCode; readonly outcome: Outcome }
}

const lost = { code: 'connection_lost', outcome: 'unknown' } as const
const late = { code: 'timed_out', outcome: 'unknown' } as const
const elsewhere = 'http://127.0.0.1:9/'

/** Resets before the request was read: nothing can have been committed. */
const resetUnread: Step = (response) => void response.socket?.resetAndDestroy()

/** Commits, and resets instead of answering. */
const resetAfterCommit: Step = (response) => {
  response.writeHead(201, { 'content-type': 'application/json' })
  response.flushHeaders()
  response.socket?.resetAndDestroy()
}

const slowly =
  (ms: number, step: Step): Step =>
  async (response, request) => {
    await sleep(ms)
    await step(response, request)
  }

const rows: Row[] = [
  { fault: 'no fault', script: [created()], sent: 1, ends: 'created' },
  {
    fault: 'reset before the commit, once',
    script: [resetUnread, created()],
    sent: 2,
    ends: 'created',
  },
  { fault: 'reset before the commit, always', script: [resetUnread], sent: 4, ends: lost },
  {
    fault: 'reset after the commit, once',
    script: [resetAfterCommit, created()],
    sent: 2,
    ends: 'created',
  },
  { fault: 'reset after the commit, always', script: [resetAfterCommit], sent: 4, ends: lost },
  {
    fault: 'reset, then refused',
    script: [reset, problem(401, 'revoked_credentials')],
    sent: 2,
    ends: { code: 'revoked_credentials', outcome: 'unknown' },
  },
  {
    fault: '408, once',
    script: [problem(408, 'request_timeout'), created()],
    sent: 2,
    ends: 'created',
  },
  {
    fault: '408, always',
    script: [problem(408, 'request_timeout')],
    sent: 4,
    ends: { code: 'request_timeout', outcome: 'unknown' },
  },
  {
    fault: '409 in flight, twice',
    script: [
      problem(409, 'idempotency_key_in_use'),
      problem(409, 'idempotency_key_in_use'),
      created(),
    ],
    sent: 3,
    ends: 'created',
  },
  {
    fault: '409 in flight, always',
    script: [problem(409, 'idempotency_key_in_use')],
    sent: 4,
    ends: { code: 'idempotency_key_in_use', outcome: 'unknown' },
  },
  {
    fault: '409 of another kind',
    script: [problem(409, 'version_conflict')],
    sent: 1,
    ends: { code: 'unexpected_answer', outcome: 'rejected' },
  },
  { fault: '425, once', script: [problem(425, 'too_early'), created()], sent: 2, ends: 'created' },
  {
    fault: '429, always',
    script: [problem(429, 'rate_limited')],
    sent: 4,
    ends: { code: 'rate_limited', outcome: 'rejected' },
  },
  {
    fault: '429 with a wait beyond the deadline',
    script: [problem(429, 'rate_limited', { 'retry-after': '30' })],
    sent: 1,
    ends: { code: 'rate_limited', outcome: 'rejected' },
  },
  {
    fault: '500, once',
    script: [problem(500, 'internal_error'), created()],
    sent: 2,
    ends: 'created',
  },
  {
    fault: '500, always',
    script: [problem(500, 'internal_error')],
    sent: 4,
    ends: { code: 'internal_error', outcome: 'unknown' },
  },
  {
    fault: '502 of a proxy, in HTML',
    script: [html(502)],
    sent: 4,
    ends: { code: 'unexpected_answer', outcome: 'unknown' },
  },
  {
    fault: '503, always',
    script: [problem(503, 'store_unavailable')],
    sent: 4,
    ends: { code: 'store_unavailable', outcome: 'unknown' },
  },
  { fault: '504, once', script: [problem(504, 'timeout'), created()], sent: 2, ends: 'created' },
  { fault: 'no answer, once', script: [silent, created()], sent: 2, ends: 'created' },
  { fault: 'no answer, always', script: [silent], sent: 4, ends: late },
  { fault: 'a stalled body, once', script: [stall, created()], sent: 2, ends: 'created' },
  { fault: 'a stalled body, always', script: [stall], sent: 4, ends: late },
  { fault: 'a dripping body, always', script: [drip], sent: 4, ends: late },
  { fault: 'a severed body, once', script: [sever, created()], sent: 2, ends: 'created' },
  { fault: 'a severed body, always', script: [sever], sent: 4, ends: lost },
  { fault: 'HTML with 200, once', script: [html(), created()], sent: 2, ends: 'created' },
  {
    fault: 'HTML with 200, always',
    script: [html()],
    sent: 4,
    ends: { code: 'not_json', outcome: 'unknown' },
  },
  ...[301, 302, 303, 307, 308].map(
    (status): Row => ({
      fault: `a redirect with ${status}`,
      script: [redirect(status, elsewhere)],
      sent: 1,
      ends: { code: 'redirect_refused', outcome: 'unknown' },
    }),
  ),
  {
    fault: 'an echo of another order',
    script: [created({ orderId: 'B-2' })],
    sent: 1,
    ends: { code: 'contract_broken', outcome: 'unknown' },
  },
  {
    fault: 'an echo of another amount',
    script: [created({ amount: 1 })],
    sent: 1,
    ends: { code: 'contract_broken', outcome: 'unknown' },
  },
  {
    fault: 'an echo of another currency',
    script: [created({ currency: 'RUB' })],
    sent: 1,
    ends: { code: 'contract_broken', outcome: 'unknown' },
  },
  {
    fault: 'no clientSecret',
    script: [created({ clientSecret: null })],
    sent: 1,
    ends: { code: 'contract_broken', outcome: 'unknown' },
  },
  {
    fault: '400',
    script: [problem(400, 'validation_failed')],
    sent: 1,
    ends: { code: 'validation_failed', outcome: 'rejected' },
  },
  {
    fault: '422',
    script: [problem(422, 'idempotency_key_reused')],
    sent: 1,
    ends: { code: 'idempotency_key_reused', outcome: 'rejected' },
  },
  {
    fault: 'a slow first answer, past its timeout',
    script: [slowly(600, created()), created()],
    sent: 2,
    ends: 'created',
  },
]

const deadline = 3000

// What is loaded once must not count against the first row's timeout.
beforeAll(async () => {
  const intents = new PaymentIntents({ ...fakeService().options })
  await intents.create(order)
  await fetch('data:,')
})

const ways: [string, { readonly fetch?: typeof globalThis.fetch }][] = [
  ["Node's client", {}],
  ['fetch', { fetch: globalThis.fetch }],
]

for (const [way, { fault, script, sent, ends }, options] of rowsByWay()) {
  test(`${way}, ${fault}: sent ${sent} × with one key and one body, ${said(ends)}`, async () => {
    const service = await scriptedService(...script)
    const intents = new PaymentIntents({
      apiKey,
      baseUrl: service.url,
      timeout: 400,
      deadline,
      random: () => 0.2,
      ...options,
    })
    const began = performance.now()
    // A bare timer that begins with the call: whatever holds this machine up holds both up.
    const control = sleep(deadline + 300).then(() => 'the deadline was passed by more than 300 ms')
    const call = intents.create(order).then(
      () => 'created' as const,
      (error: PiError) => error,
    )
    const result = await Promise.race([call, control])
    expect(typeof result === 'string' ? result : 'an error').toBe(
      ends === 'created' ? 'created' : 'an error',
    )
    if (typeof result !== 'string') {
      expect(result).toMatchObject(ends as object)
      expect(result.attempts).toHaveLength(sent)
      expect(result.idempotencyKey).toBe(service.keys()[0])
      const spent = result.attempts.reduce((sum, { ms }) => sum + ms, 0)
      expect(spent).toBeLessThanOrEqual(performance.now() - began + sent)
    }
    expect(service.requests).toHaveLength(sent)
    expect(service.keys()).toHaveLength(1)
    expect(bytesOf(service)).toHaveLength(1)
  })
}

test('a service that is not there: sent 0 ×, outcome not_sent', async () => {
  const service = await scriptedService(silent)
  await service.close()
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, random: () => 0 })
  await expect(intents.create(order)).rejects.toMatchObject({
    code: 'not_connected',
    outcome: 'not_sent',
    attempts: { length: 4 },
  })
})

test('a name that does not exist: outcome not_sent', async () => {
  const intents = new PaymentIntents({
    apiKey,
    baseUrl: 'https://nowhere.invalid',
    random: () => 0,
  })
  await expect(intents.create(order)).rejects.toMatchObject({
    code: 'not_connected',
    outcome: 'not_sent',
  })
})

function rowsByWay(): [string, Row, (typeof ways)[number][1]][] {
  return ways.flatMap(([way, options]) =>
    rows.map((row): [string, Row, typeof options] => [way, row, options]),
  )
}

/** Everything of a request that a retry must not change. */
function bytesOf({ requests }: ScriptedService): string[] {
  const sent = ({ method, url, headers, body }: SeenRequest): string => {
    const { authorization, 'content-type': type, 'idempotency-key': key } = headers
    return JSON.stringify([method, url, authorization, type, key, body])
  }
  return [...new Set(requests.map(sent))]
}

function said(ends: Row['ends']): string {
  return ends === 'created' ? 'created' : `ends as ${ends.code}, outcome ${ends.outcome}`
}
