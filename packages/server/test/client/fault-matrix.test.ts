import { setTimeout as sleep } from 'node:timers/promises'
import { startSite } from '@pi-checkout/test-support/sites'
import { beforeAll, expect, test } from 'vitest'
import {
  ApiError,
  ConnectionError,
  ContractError,
  type Outcome,
  PaymentIntents,
  type PiError,
  type PiErrorCode,
} from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import {
  apiKey,
  created,
  createdAfter,
  drip,
  html,
  order,
  problem,
  reset,
  retryAtOnce,
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
  | readonly [code: PiErrorCode, outcome: Outcome, type: abstract new (...args: never) => PiError]

/** What one call results in: how often it is sent, and what its caller gets. */
type Row = readonly [fault: string, script: readonly Step[], sent: number, end: End]

const lost: End = ['connection_lost', 'unknown', ConnectionError]
const timedOut: End = ['timed_out', 'unknown', ConnectionError]
const inUse = problem(409, 'idempotency_key_in_use')

/** Commits, and resets instead of responding. */
const resetAfterCommit: Step = (response) => {
  response.writeHead(201, { 'content-type': 'application/json' })
  response.flushHeaders()
  response.socket?.resetAndDestroy()
}

const delayed = createdAfter(1500)

/** Faults that a request's timeout ends. With others a busy host must not end a request. */
const timedFaults: readonly Step[] = [silent, stall, drip, delayed]

/** A fault that is retried until it ends. */
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
    ['revoked_credentials', 'unknown', ApiError],
  ],
  ['409 in use, twice', [inUse, inUse, created()], 3, 'created'],
  ...lossy('503', problem(503, 'store_unavailable'), ['store_unavailable', 'unknown', ApiError]),
  [
    'another order',
    [created({ orderId: 'B-2' })],
    1,
    ['contract_broken', 'unknown', ContractError],
  ],
]

const deadline = 8000

retryAtOnce()

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
  '%s, %s: sends one key and one body %i × (threat 6)',
  async (_transport, _fault, sent, { options, script, end }) => {
    const service = await scriptedService(...script)
    const intents = new PaymentIntents({
      apiKey,
      baseUrl: service.url,
      timeout: script.some((step) => timedFaults.includes(step)) ? 1000 : deadline,
      totalTimeout: deadline,
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
      const [code, outcome, type] = end
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
  const intents = new PaymentIntents({ apiKey, baseUrl })
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
