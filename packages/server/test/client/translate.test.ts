import { expect, test } from 'vitest'
import { verify } from '../../src/checkout/payment-state.ts'
import {
  type Outcome,
  PaymentIntents,
  type PiErrorCode,
  phaseOf,
  type Translate,
} from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { shop } from '../checkout/shop.ts'
import { foreignService } from '../foreign-service.ts'
import { failureOf, order } from '../scripted-service.ts'

const expected = { id: 'pi_1', ...order }
const specified = { ...expected, customer: null, metadata: null, clientSecret: 'pi_1_secret_x' }

/** A client of a service that sends this response again and again. */
function clientOf(translate: Translate | undefined, response: Response) {
  const fetch = async () => response.clone()
  const options = { apiKey: 'key-of-the-test', baseUrl: 'https://pay.example', maxRetries: 0 }
  return new PaymentIntents({ ...options, fetch, translate })
}

const byState: Translate = ({ body }) => ({
  ...body,
  status: { PAID: 'succeeded', settled: 'SUCCEEDED' }[String(body.state)],
})
test.each<
  [service: string, Translate | undefined, profile: string, status: unknown, state: unknown]
>([
  ['our service', undefined, 'pi-checkout', 'succeeded', 'settled'],
  ['another service', byState, 'x', 'settled', 'PAID'],
  ['an unknown service', undefined, 'x', undefined, undefined],
])(
  'a response of %s is paid only with id, order, amount, currency, and its status',
  async (_, translate, profile, paidStatus, paidState) => {
    const isPaid = (body: object | null): Promise<boolean> => {
      const response = Response.json(body, { headers: { 'payment-intents-profile': profile } })
      const call = clientOf(translate, response).retrieve(expected.id)
      return call.then(
        (intent) => verify(intent, order.orderId, { ...order, intentId: expected.id }) === 'paid',
        () => false,
      )
    }
    const words = ['PAID', 'succeeded', 'settled', 'constructor', '', 1, null, undefined]
    for (const status of words) {
      for (const state of words) {
        const isCalledPaid = translate ? state === paidState : status === paidStatus
        const isKnown = paidStatus !== undefined
        expect(await isPaid({ ...specified, status, state })).toBe(isKnown && isCalledPaid)
      }
    }
    const paid = { ...specified, status: paidStatus, state: paidState }
    const values = [undefined, null, true, 1, 150001, '150000', 'amd', 'pi_2', 'A-1001 ', [], {}]
    for (const field of Object.keys(expected)) {
      for (const value of values) expect(await isPaid({ ...paid, [field]: value })).toBe(false)
    }
    for (const body of [null, [], [paid], { intent: paid }]) expect(await isPaid(body)).toBe(false)
  },
)

test.each([
  ['an unknown status', { status: 'authorized' }, { status: 'unknown' }],
  ['no status', {}, { status: 'unknown' }],
  ['a name of every object as status', { status: 'constructor' }, { status: 'unknown' }],
  ['a status of ours', { status: 'expired' }, { status: 'expired' }],
  ['no role field', { status: 'succeeded' }, { paymentMethod: null, nextAction: null }],
  ['no optional field', { customer: undefined }, { customer: null }],
  ['a time', { createdAt: '2026-11-20T10:00:00Z' }, { createdAt: '2026-11-20T10:00:00Z' }],
  ['another field, perhaps with a secret', { client_secret: 'x' }, {}],
])('an intent for which translate returns %s is read', async (_, returned, read) => {
  const intents = clientOf(({ body }) => ({ ...body, ...returned }), Response.json(specified))
  const { intent, handoff, replayed } = await intents.create(order)
  expect([replayed, intents.translates]).toEqual([true, true])
  expect(intent).toMatchObject({ ...expected, ...read })
  expect(JSON.stringify(intent)).not.toContain('ecret')
  expect(handoff.clientSecret).toBe(specified.clientSecret)
  expect(await intents.retrieve('pi_1')).toEqual(intent)
  expect(phaseOf(intent.status)).toBe(phaseOf(String(Object(returned).status)))
})

const thrower: Translate = ({ body }) => {
  throw new RangeError(JSON.stringify(body))
}
const nothing: Translate = () => undefined
const list: Translate = () => []
const coded =
  (code?: string): Translate =>
  () => ({ code })
test.each<[Translate, status: number, PiErrorCode, Outcome, retryable: boolean]>([
  [thrower, 200, 'contract_broken', 'unknown', false],
  [thrower, 400, 'contract_broken', 'unknown', false],
  [thrower, 503, 'contract_broken', 'unknown', true],
  [nothing, 200, 'contract_broken', 'unknown', false],
  [nothing, 400, 'contract_broken', 'unknown', false],
  [list, 200, 'contract_broken', 'unknown', false],
  [coded(), 200, 'contract_broken', 'unknown', false],
  [coded(), 400, 'unexpected_response', 'rejected', false],
  [coded(), 409, 'unexpected_response', 'unknown', true],
  [coded('idempotency_key_reused'), 409, 'idempotency_key_reused', 'rejected', false],
  [coded('idempotency_key_in_use'), 423, 'idempotency_key_in_use', 'unknown', true],
  [coded('rate_limited'), 403, 'rate_limited', 'rejected', true],
])('%o for a status %i means %s: %s', async (translate, status, code, outcome, retryable) => {
  const response = Response.json(specified, { status })
  const error = await failureOf(clientOf(translate, response).create(order))
  expect(error).toMatchObject({ status, code, outcome, retryable })
  expect(error.message + error.stack + String(error.cause)).not.toContain(specified.clientSecret)
  if (translate !== thrower) return
  // What it threw, and where.
  expect(error.message).toMatch(/translate threw RangeError at thrower \(.*translate\.test\.ts:\d/)
})

test('without translate no intent of another service is handed out', async () => {
  const foreign = foreignService()
  const { translate: _, ...options } = foreign.options
  const service = { ...foreign, options }
  const { checkout, intent, errors } = shop({ service })
  expect(await intent()).toBe('payment_refused')
  expect(errors).toMatchObject([{ code: 'unknown_service', outcome: 'unknown', retryable: false }])
  const fix = /for a service other than @pi-checkout\/service pass translate to new PaymentIntents/
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
