import { repeatable } from '@pi-checkout/test-support/generated'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PaymentIntents, phaseOf, type Translate, verify } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { shop } from '../checkout/shop.ts'
import { foreignService, translate } from '../foreign-services.ts'
import { failureOf, order } from '../scripted-service.ts'

const expected = { id: 'pi_1', orderId: 'A-1001', amount: 150000, currency: 'AMD' }
const specified = { ...expected, customer: null, metadata: null, clientSecret: 'pi_1_secret_x' }

/** A client of a service that sends this response again and again. */
function clientOf(translate: Translate | undefined, response: Response) {
  const fetch = async () => response.clone()
  const options = { apiKey: 'key-of-the-test', baseUrl: 'https://pay.example', maxRetries: 0 }
  return new PaymentIntents({ ...options, fetch, translate })
}

const noRoles = {
  paymentMethod: null,
  lastPaymentFailure: null,
  nextAction: null,
  providerPaymentId: null,
  createdAt: null,
  updatedAt: null,
}
const paidWords = fc.constantFrom('PAID', 'succeeded', 'settled', 'constructor', '', 1, null)

/** A response that is the expected intent, or almost. */
const responses = fc
  .record({
    dropped: fc.option(fc.constantFrom(...Object.keys(specified))),
    changes: fc.dictionary(
      fc.constantFrom(...Object.keys(specified), 'other'),
      fc.oneof(fc.jsonValue(), fc.constantFrom(150000, '150000', 'AMD', 'amd', 'pi_1', 'A-1001')),
      { maxKeys: 2 },
    ),
    status: paidWords,
    state: paidWords,
    isIntact: fc.boolean(),
  })
  .map(({ dropped, changes, status, state, isIntact }) => {
    const intent: Record<string, unknown> = { ...specified, status, state }
    if (isIntact) return intent
    if (dropped !== null) delete intent[dropped]
    return { ...intent, ...changes }
  })
const bodies = fc.oneof({ weight: 9, arbitrary: responses }, fc.jsonValue())

test('no response is paid without id, order, amount, currency, and a status of ours', async () => {
  const byState: Translate = ({ body }) => ({
    ...body,
    status: { PAID: 'succeeded', settled: 'SUCCEEDED' }[String(body.state)],
  })
  const paid = fc.asyncProperty(
    bodies,
    fc.constantFrom(undefined, byState),
    fc.boolean(),
    async (body, translate, namesOurs) => {
      const headers: Record<string, string> = namesOurs
        ? { 'payment-intents-profile': 'pi-checkout' }
        : {}
      const intent = await clientOf(translate, Response.json(body, { headers }))
        .retrieve(expected.id)
        .catch(() => undefined)
      const isPaid = intent !== undefined && verify(intent, expected) === 'paid'
      const sent = new Map(Object.entries(Object(body) as object))
      const isExpected = Object.entries(expected).every(([name, value]) => sent.get(name) === value)
      const isCalledPaid = translate
        ? sent.get('state') === 'PAID'
        : namesOurs && sent.get('status') === 'succeeded'
      if (isPaid) expect([isExpected, isCalledPaid]).toEqual([true, true])
      // The generator also makes payments that are paid.
      else if (isExpected && isCalledPaid && sent.get('customer') === null) {
        expect(sent.get('metadata')).not.toBeNull()
      }
    },
  )
  await fc.assert(paid, repeatable(1000))
})

test.each<[what: string, returned: Record<string, unknown>, intent: Record<string, unknown>]>([
  ['an unknown status', { status: 'authorized' }, { status: 'unknown' }],
  ['no status', {}, { status: 'unknown' }],
  ['a name of every object as status', { status: 'constructor' }, { status: 'unknown' }],
  ['a status of ours', { status: 'expired' }, { status: 'expired' }],
  ['no role field', { status: 'succeeded' }, noRoles],
  ['a time', { createdAt: '2026-11-20T10:00:00Z' }, { createdAt: '2026-11-20T10:00:00Z' }],
])('an intent for which translate returns %s is read', async (_, returned, read) => {
  const intents = clientOf(({ body }) => ({ ...body, ...returned }), Response.json(specified))
  const { intent, replayed } = await intents.create(order)
  expect([replayed, intents.translates, intent]).toEqual([
    true,
    true,
    expect.objectContaining(read),
  ])
  const { clientSecret: _secret, ...sent } = specified
  expect(await intents.retrieve('pi_1')).toEqual({ ...intent, ...sent })
  expect(phaseOf(intent.status)).toBe(phaseOf(String(returned.status)))
})

const thrower: Translate = ({ body }) => {
  throw new RangeError(JSON.stringify(body))
}
test.each<[what: string, Translate, status: number, facts: Record<string, unknown>]>([
  ['throws', thrower, 200, { outcome: 'unknown', code: 'contract_broken', retryable: false }],
  ['throws', thrower, 400, { outcome: 'unknown', code: 'contract_broken', retryable: false }],
  ['throws', thrower, 503, { outcome: 'unknown', code: 'contract_broken', retryable: true }],
  ['returns nothing', () => undefined, 200, { outcome: 'unknown', code: 'contract_broken' }],
  ['returns nothing', () => undefined, 400, { outcome: 'unknown', code: 'contract_broken' }],
  ['returns a list', () => [], 200, { outcome: 'unknown', code: 'contract_broken' }],
  ['returns no intent', () => ({}), 200, { outcome: 'unknown', code: 'contract_broken' }],
  ['returns no code', () => ({}), 400, { outcome: 'rejected', code: 'unexpected_response' }],
  ['returns no code', () => ({}), 409, { outcome: 'unknown', retryable: true }],
  [
    'returns a code of ours',
    () => ({ code: 'idempotency_key_reused' }),
    409,
    { outcome: 'rejected', code: 'idempotency_key_reused', retryable: false },
  ],
  [
    'returns that the first request is running',
    () => ({ code: 'idempotency_key_in_use' }),
    423,
    { outcome: 'unknown', code: 'idempotency_key_in_use', retryable: true },
  ],
  [
    'returns a rate limit',
    () => ({ code: 'rate_limited' }),
    403,
    { outcome: 'rejected', code: 'rate_limited', retryable: true },
  ],
])('a create fails if translate %s (%#)', async (_, translate, status, facts) => {
  const error = await failureOf(
    clientOf(translate, Response.json(specified, { status })).create(order),
  )
  expect(error).toMatchObject({ ...facts, status })
  expect(error.message + error.stack + String(error.cause)).not.toContain(specified.clientSecret)
})

test('an error names what translate threw, and where', async () => {
  const error = await failureOf(clientOf(thrower, Response.json(specified)).create(order))
  expect(error.message).toMatch(
    /returned 200, but translate threw RangeError at thrower \(.*translate\.test\.ts:\d+:\d+\); an intent may exist/,
  )
})

test('an intent of another service has no field but ours, which may contain a secret', async () => {
  const sent = { ...specified, clientSecret: undefined, client_secret: 'pi_1_secret_x' }
  const rename: Translate = ({ body }) => ({ ...body, clientSecret: body.client_secret })
  const { intent, handoff } = await clientOf(rename, Response.json(sent)).create(order)
  expect(handoff.clientSecret).toBe('pi_1_secret_x')
  expect(JSON.stringify(intent)).not.toContain('_secret_')
})

test('the errors of another service have our codes', async () => {
  const { options } = foreignService()
  const intents = new PaymentIntents(options)
  await intents.check()
  await intents.create(order, { idempotencyKey: 'k' })
  const reused = intents.create({ ...order, amount: 3 }, { idempotencyKey: 'k' })
  await expect(reused).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 409 })
  expect(translate).toBe(Reflect.get(options, 'translate'))
})

test('without translate another service can be handed off to, and nothing is paid', async () => {
  const service = foreignService()
  const { apiKey, baseUrl, fetch } = service.options
  const { checkout, intent, phase, paid, errors } = shop({
    service: { ...service, options: { apiKey, baseUrl, fetch } },
  })
  const id = await intent()
  expect(id).toMatch(/^pi_/)
  const unknown = new PaymentIntents({ apiKey, baseUrl, fetch })
  const { intent: created } = await unknown.create({ ...order, orderId: 'B-2' })
  expect([created.status, created.createdAt, unknown.translates]).toEqual(['unknown', null, false])
  for (const status of ['processing', 'succeeded'] as const) {
    service.settle(id, status)
    expect([await phase(), paid]).toEqual(['payment_unavailable', []])
  }
  const fix = /For a service other than @pi-checkout\/service pass translate to new PaymentIntents/
  expect(String(errors[0])).toMatch(fix)
  await expect(checkout.start()).rejects.toThrow(fix)
})

test('our service behind a proxy that removes its header needs only the identity', async () => {
  const { options, settle } = fakeService()
  const { intent } = await new PaymentIntents(options).create(order)
  settle(intent.id, 'succeeded')
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await options.fetch(input, init)
    response.headers.delete('payment-intents-profile')
    return response
  }
  const behindProxy = new PaymentIntents({ ...options, fetch, translate: ({ body }) => body })
  expect(await behindProxy.retrieve(intent.id)).toMatchObject({ status: 'succeeded' })
})
