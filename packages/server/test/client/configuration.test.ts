import { afterEach, expect, test, vi } from 'vitest'
import { newOrderId, PaymentIntents } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import {
  apiKey,
  atOnce,
  clientOf,
  created,
  order,
  problem,
  scriptedService,
} from '../scripted-service.ts'

const baseUrl = 'http://127.0.0.1:1'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test('reads variables on first use, not at construction', async () => {
  vi.stubEnv('PI_API_KEY', undefined)
  vi.stubEnv('PI_BASE_URL', undefined)
  const intents = new PaymentIntents()
  const service = await scriptedService(created())
  vi.stubEnv('PI_API_KEY', apiKey)
  vi.stubEnv('PI_BASE_URL', service.url)
  await intents.create(order)
  expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`)
})

test.each([
  ['PI_API_KEY', { baseUrl }, /not set\. Set it to your secret API key.* copy "apiKey"/],
  ['PI_BASE_URL', { apiKey }, /not set\. Set it to the base URL .* http:\/\/127\.0\.0\.1:4000\.$/],
])('names a missing %s, and its value in the local sandbox', async (variable, options, fix) => {
  vi.stubEnv(variable, undefined)
  for (const call of [
    new PaymentIntents(options).create(order),
    new PaymentIntents(options).check(),
  ]) {
    await expect(call).rejects.toThrow(fix)
    await expect(call).rejects.toThrow(`${variable}: environment variable is not set`)
  }
})

const badKeys = [
  'with space',
  'line\nend-of-key',
  'ключ-ключ-ключ',
  '',
  'pi_sk_test_cutoff',
  'pi_abc_secret_abcdef',
]
test.each(badKeys)('rejects the API key %j without printing it (threat 70)', (key) => {
  const build = (): unknown => new PaymentIntents({ apiKey: key })
  expect(build).toThrow(/^apiKey: /)
  if (key) expect(build).not.toThrow(key)
})

const goodUrls = [
  'https://pay.example',
  'https://pay.example/v1/',
  'https://pay.example:8443',
  'http://localhost:4000',
  'http://127.0.0.1:4000',
  'http://127.9.9.9',
  'http://[::1]:4000',
  'http://pay.localhost:4000',
]
test.each(goodUrls)('accepts the baseUrl %s', (baseUrl) => {
  expect(new PaymentIntents({ apiKey, baseUrl })).toBeInstanceOf(PaymentIntents)
})

const badUrls = [
  'http://pay.example',
  'http://10.0.0.1:4000',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'https://user:word@pay.example',
  'https://user@pay.example',
  'https://pay.example/?x=1',
  'https://pay.example/?',
  'https://pay.example/#x',
  'ftp://pay.example',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'pay.example',
  '//pay.example',
  '',
]
test.each(badUrls)('rejects the baseUrl %j (threat 4)', (baseUrl) => {
  expect(() => new PaymentIntents({ apiKey, baseUrl })).toThrow(/^baseUrl: must/)
})

test('rejects a browser and names the package for it', () => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', {})
  expect(() => new PaymentIntents({ apiKey })).toThrow(
    /must not run in a browser\. Use @pi-checkout/,
  )
})

test('the module for browsers throws with the reason (threat 1)', async () => {
  await expect(import('../../src/browser.ts')).rejects.toThrow(/belongs on the server/)
})

const badFields: [string, object, RegExp][] = [
  [
    'a UUID as orderId',
    { ...order, orderId: '0f8fad5b-d9cb-469f-a165-70867728950e' },
    /^orderId must have at most 32 characters; a UUID has 36: .*newOrderId\(\)/,
  ],
  [
    '19.99 as amount',
    { ...order, amount: 19.99 },
    /^amount must be a whole number of minor units: 19\.99 USD is 1999/,
  ],
  ['a text as amount', { ...order, amount: '100' }, /^amount must be a JSON number/],
  ['zero', { ...order, amount: 0 }, /^amount must be at least 1/],
  ['GBP', { ...order, currency: 'GBP' }, /^currency must be one of AMD, USD, EUR, RUB/],
  ['order_id', { ...order, order_id: 'A' }, /order_id is not a parameter/],
  ['a missing orderId', { amount: 1, currency: 'AMD' }, /^orderId is required/],
  ['a customer without id', { ...order, customer: {} }, /^customer\.id is required/],
  ['a number in metadata', { ...order, metadata: { a: 1 } }, /^metadata\.a must be a string/],
]
test.each(badFields)('rejects %s with field, rule, and fix', async (_, params, message) => {
  const call = new PaymentIntents({ apiKey, baseUrl }).create(params as never)
  await expect(call).rejects.toThrow(TypeError)
  await expect(call).rejects.toThrow(message)
})

test('rejects milliseconds and attempts that are out of range', () => {
  expect(() => new PaymentIntents({ timeout: 0 })).toThrow(
    /^timeout: must be a number of milliseconds .*; received 0/,
  )
  expect(() => new PaymentIntents({ totalTimeout: Number.NaN })).toThrow(/^totalTimeout: must/)
  expect(() => new PaymentIntents({ maxRetries: 0.5 })).toThrow(/^maxRetries: must/)
})

test('check() finds an unreachable service, a rejected key, and another server', async () => {
  const unreachable = new PaymentIntents({ apiKey, baseUrl, ...atOnce })
  await expect(unreachable.check()).rejects.toMatchObject({ code: 'not_connected' })
  for (const [status, code] of [
    [401, 'invalid_credentials'],
    [404, 'not_found'],
  ] as const) {
    const { intents } = await clientOf([problem(status, code)])
    await expect(intents.check()).rejects.toMatchObject({ code })
  }
})

test('check() returns the environment of the key and creates nothing', async () => {
  const service = fakeService()
  await expect(new PaymentIntents(service.options).check()).resolves.toEqual({
    environment: undefined,
  })
  expect(service.intents).toEqual([])
  const known = await scriptedService(problem(404, 'payment_intent_not_found'))
  const key = `pi_sk_test_${'0'.repeat(36)}`
  await expect(new PaymentIntents({ apiKey: key, baseUrl: known.url }).check()).resolves.toEqual({
    environment: 'test',
  })
  expect(known.requests.map(({ method }) => method)).toEqual(['GET'])
})

test('newOrderId fits and does not repeat', () => {
  const ids = Array.from({ length: 1000 }, newOrderId)
  expect(new Set(ids).size).toBe(1000)
  for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
})
