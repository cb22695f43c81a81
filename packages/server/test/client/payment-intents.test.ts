import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { prepareCreate } from '../../src/client/idempotency-key.ts'
import { readRetryAfter, retryDelay } from '../../src/client/retry.ts'
import { PaymentIntents } from '../../src/index.ts'
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
  scriptedService,
  secret,
  sever,
  silent,
  stall,
} from '../scripted-service.ts'

retryAtOnce()

test('create sends the request of the specification and separates the secret', async () => {
  const { service, intents } = await clientOf([created()], { namespace: 'books' })
  const { intent, handoff, replayed } = await intents.create({ ...order, currency: 'amd' })
  expect(intent).toMatchObject({ id: 'pi_scripted', ...order })
  expect(JSON.parse(JSON.stringify(handoff))).toEqual({ id: 'pi_scripted', clientSecret: secret })
  expect(replayed).toBe(false)
  await intents.create(order, { attempt: 2 })
  const prepared = await Promise.all([
    prepareCreate(order, { namespace: 'books' }),
    prepareCreate(order, { namespace: 'books', attempt: 2 }),
  ])
  const sent = prepared.map(({ key }) => ({
    method: 'POST',
    url: '/payment-intents',
    body: '{"amount":150000,"currency":"AMD","orderId":"A-1001"}',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
  }))
  expect(service.requests).toMatchObject(sent)
})

test('retrieve returns the intent without its secret', async () => {
  const { service, intents } = await clientOf([retrieved({ status: 'succeeded' })])
  const intent = await intents.retrieve('pi_abc')
  expect(intent).toMatchObject({ id: 'pi_abc', status: 'succeeded' })
  expect(JSON.stringify(intent)).not.toContain(secret)
  expect(service.requests).toMatchObject([{ method: 'GET', url: '/payment-intents/pi_abc' }])
})

test('waits as long as Retry-After says, unless it is malformed', () => {
  const now = Date.parse('2026-11-20T10:00:00Z')
  const waitOf = (retryAfter: string) => retryDelay(1, 0.5, readRetryAfter(retryAfter, now))
  expect(waitOf('7')).toBe(7000)
  expect(waitOf('Fri, 20 Nov 2026 10:00:09 GMT')).toBe(9000)
  expect(waitOf('Fri, 20 Nov 2026 09:00:00 GMT')).toBe(125)
  const malformed = [
    '0',
    '1.5',
    '-7',
    '7s',
    '7, 7',
    '12345678901',
    '2026-11-20',
    'x Fri, 20 Nov 2026',
  ]
  expect(malformed.map(waitOf)).toEqual(malformed.map(() => 125))
})

test('the total timeout covers requests and waits', async () => {
  const { intents } = await clientOf([silent], { timeout: 200, maxRetries: 98 })
  // A busy host delays every timer of this process.
  const late = sleep(600, 'late')
  const call = failureOf(intents.create(order, { totalTimeout: 300 }))
  const error = await Promise.race([late, call])
  expect(error).toMatchObject({ code: 'timed_out', outcome: 'unknown' })
})

test('a call ends at once if it would have to wait until after its end', async () => {
  const limited = problem(429, 'rate_limited', { 'retry-after': '60' })
  const { service, intents } = await clientOf([limited])
  expect(await failureOf(intents.create(order))).toMatchObject({ code: 'rate_limited' })
  expect(service.requests).toHaveLength(1)
})

test('sends nothing if the call has ended before', async () => {
  const { service, intents } = await clientOf([created()])
  const now = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(30_000)
  onTestFinished(() => now.mockRestore())
  const facts = { code: 'timed_out', outcome: 'not_sent', retryable: true }
  expect(await failureOf(intents.create(order))).toMatchObject(facts)
  expect(service.requests).toEqual([])
})

test.each<[string, Step, typeof globalThis.fetch?]>([
  ['while no response arrives', silent],
  ['within the body', stall],
  ['within the body, with fetch', stall, fetch],
])('a request that takes too long %s leaves no connection', async (_, step, fetch) => {
  let open = 0
  const recorded: Step = (response, request) => {
    open++
    response.on('close', () => open--)
    return step(response, request)
  }
  const { service, intents } = await clientOf([recorded], { fetch, timeout: 500, maxRetries: 0 })
  const error = await failureOf(intents.create(order))
  expect(error).toMatchObject({ code: 'timed_out', outcome: 'unknown' })
  expect(service.requests).toHaveLength(1)
  await expect.poll(() => open).toBe(0)
})

test('errors list at most 20 fields, and cut what they quote', async () => {
  const long = `${'x'.repeat(240)}${apiKey}${'y'.repeat(999)}`
  const errors = Array(25).fill({ pointer: long, code: long, detail: long })
  const { intents } = await clientOf([
    (response) => {
      response.writeHead(400, { 'request-id': long.slice(120) })
      response.end(JSON.stringify({ code: 'validation_failed', errors }))
    },
  ])
  const error = await failureOf(intents.create(order))
  const text = `${'x'.repeat(240)}[masked]yyyyyyyy`
  expect(error.errors).toEqual(Array(20).fill({ pointer: text, code: text, detail: text }))
  expect(error.requestId).toBe(text.slice(120, 248))
})

/** Everything that a log may show of a value. */
function prints(value: unknown): string {
  const stack = value instanceof Error ? value.stack : ''
  return inspect(value, { depth: null, showHidden: true }) + JSON.stringify(value) + stack
}

test('no error, client, intent, or handoff prints a key or a secret', async () => {
  const { url: elsewhere } = await scriptedService(created())
  const broken = async (): Promise<never> => {
    const request = { headers: { authorization: `Bearer ${apiKey}` } }
    const facts = { request, cause: { apiKey }, code: `E_${apiKey}` }
    throw Object.assign(new Error(`sent ${apiKey}`), facts)
  }
  const own = new PaymentIntents({ apiKey, baseUrl: elsewhere, fetch: broken })
  const errors = [await failureOf(own.create(order))]
  const steps: Step[] = [
    reset,
    stall,
    sever(),
    html(),
    html(500),
    problem(401, 'invalid_credentials'),
    (response) => {
      response.writeHead(400, { 'request-id': apiKey })
      const errors = [{ pointer: '/x', code: 'x', detail: `Bad key ${apiKey} and ${secret}` }]
      response.end(JSON.stringify({ code: 'validation_failed', detail: apiKey, errors }))
    },
    created({ orderId: 'B-2' }),
    created({ amount: 'text', metadata: { [apiKey]: 1 } }, { 'request-id': apiKey }),
    redirect(307, elsewhere),
    silent,
  ]
  for (const step of steps) {
    const { intents } = await clientOf([step], { maxRetries: 1, timeout: 100 })
    errors.push(await failureOf(intents.create(order)))
  }
  const { intents } = await clientOf([created()])
  const result = await intents.create(order)
  for (const value of [...errors, result.intent, intents]) {
    expect(prints(value)).not.toContain(apiKey)
    expect(prints(value)).not.toContain(secret)
  }
  expect(inspect(result, { depth: null })).not.toContain(secret)
  expect(inspect(result.handoff)).toBe("{ id: 'pi_scripted', clientSecret: '[masked]' }")
})
