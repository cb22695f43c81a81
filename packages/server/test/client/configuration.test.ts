import { sampleKey } from '@pi-checkout/test-support/api-key'
import { afterEach, expect, test, vi } from 'vitest'
import { checkedOrigin } from '../../src/client/configuration.ts'
import { ConfigurationError, PaymentIntents } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { apiKey, clientOf, created, order, problem, scriptedService } from '../scripted-service.ts'

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
  [
    'PI_API_KEY',
    { baseUrl },
    /not set\. Set it to your secret API key.* "npx pi-service exec -- COMMAND", which sets it\.$/,
  ],
  [
    'PI_BASE_URL',
    { apiKey },
    /not set\. Set it to the base URL .* "npx pi-service exec -- COMMAND", which sets it\.$/,
  ],
])('names a missing %s, and the command that sets it', async (variable, options, fix) => {
  vi.stubEnv(variable, undefined)
  for (const call of [
    new PaymentIntents(options).create(order),
    new PaymentIntents(options).check(),
  ]) {
    await expect(call).rejects.toThrow(fix)
    const message = expect.stringMatching(`^${variable}: environment variable is not set`)
    const facts = { name: 'ConfigurationError', code: 'missing_variable', field: variable }
    await expect(call).rejects.toMatchObject({ ...facts, message })
  }
})

const malformedKey =
  'must be one secret API key of visible ASCII characters, without spaces, quotes, or line breaks.'
const incompleteKey =
  'must be pi_sk_test_ or pi_sk_live_, the environment (16 letters and digits), an underscore, and 36 letters and digits. Copy the complete key again.'
test.each<[unknown, string]>([
  ['with space', malformedKey],
  ['long-enough and a space', malformedKey],
  ['line\nend-of-key', malformedKey],
  ['ключ-ключ-ключ', malformedKey],
  [`"${sampleKey('a')}"`, malformedKey],
  ["'key-in-single-quotes'", malformedKey],
  ['', malformedKey],
  [12345678, malformedKey],
  ['pi_sk_test_cutoff', incompleteKey],
  [`pi_sk_test_${'a'.repeat(36)}`, incompleteKey],
  [sampleKey('a').slice(0, -1), incompleteKey],
  ['pi_abc_secret_abcdef', 'is a clientSecret. Set it to the secret API key.'],
])('rejects the API key %j without printing it (threat 70)', async (key, rule) => {
  expect(() => new PaymentIntents({ apiKey: key as never })).toThrow(`apiKey: ${rule}`)
  vi.stubEnv('PI_API_KEY', String(key))
  if (typeof key !== 'string' || key === '') return
  expect(rule).not.toContain(key)
  expect(() => new PaymentIntents({ baseUrl }).scope()).toThrow(`PI_API_KEY: ${rule}`)
})

test.each([undefined, {}])('names a missing variable where process is %j', async (process) => {
  const intents = new PaymentIntents({ apiKey, fetch })
  vi.stubGlobal('process', process)
  // The test runner needs its process.
  const [result] = await Promise.allSettled([(async () => intents.scope())()])
  vi.unstubAllGlobals()
  expect(String(result.status === 'rejected' && result.reason)).toMatch(
    /PI_BASE_URL: environment variable is not set/,
  )
})

const goodUrls = ['https://pay.example:8443/v1/', 'http://localhost:4000', 'http://[::1]:4000']
test.each(goodUrls)('accepts the baseUrl %s', (baseUrl) => {
  expect(new PaymentIntents({ apiKey, baseUrl })).toBeInstanceOf(PaymentIntents)
})

const badUrls: Record<string, readonly string[]> = {
  'must be an absolute https URL, such as https://pay.example.': [
    'xhttps://pay.example',
    'javascript:alert(1)',
    '//pay.example',
    '',
  ],
  'must be https. http is for loopback only, such as http://127.0.0.1:4000.': [
    'http://pay.example',
    'http://localhost.evil.example',
  ],
  'must not contain a user name or password. The key is sent in a header.': [
    'https://user@pay.example',
    'https://:word@pay.example',
  ],
  'must not contain a query or a fragment.': ['https://pay.example/?', 'https://pay.example/#x'],
}
const ruledUrls = Object.entries(badUrls).flatMap(([rule, urls]) =>
  urls.map((url) => [url, rule] as const),
)
test.each(ruledUrls)('rejects the baseUrl %j (threat 4)', async (url, rule) => {
  expect(() => new PaymentIntents({ apiKey, baseUrl: url })).toThrow(`baseUrl: ${rule}`)
  if (url === '') return
  vi.stubEnv('PI_BASE_URL', url)
  expect(() => new PaymentIntents({ apiKey }).scope()).toThrow(`PI_BASE_URL: ${rule}`)
})

const originRule = 'a lowercase origin without a path or default port, such as https://shop.example'
const httpsRule = 'https; http is for loopback only, such as http://localhost:3000'
test.each<[value: unknown, rule: string]>([
  ['http://shop.example', httpsRule],
  ['http://localhost:80', originRule],
  ['https://shop.example//', originRule],
  ['https://me:word@Shop.example/p?key=s', originRule],
  ['a2+b.c-d://me@Shop.example?key\n=s', originRule],
  ['shop.example', originRule],
  ['', originRule],
  [undefined, `${originRule}; received undefined`],
  [null, `${originRule}; received null`],
  [7, `${originRule}; received a number`],
])('rejects the origin %j with rule and fix, and does not repeat it', (value, rule) => {
  const name = 'shopOrigin'
  const reject = (of?: string) => () =>
    checkedOrigin(value, of === undefined ? { name } : { name, of })
  const error = (target: string) => new ConfigurationError(name, `must be ${rule}. Set ${target}.`)
  expect(reject()).toThrow(error('shopOrigin'))
  expect(reject('createCheckout()')).toThrow(error('the shopOrigin option of createCheckout()'))
})

test.each(['https://shop.example', 'https://shop.example/', 'http://localhost:3000'])(
  'accepts the origin %s without its trailing slash',
  (origin) => {
    expect(checkedOrigin(origin, { name: 'shopOrigin' })).toBe(origin.replace(/\/$/, ''))
  },
)

test('rejects a browser and names the package for it', () => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', {})
  expect(() => new PaymentIntents({ apiKey })).toThrow(
    /must not run in a browser\. Use @pi-checkout/,
  )
})

test('accepts a runtime other than a browser that has a window', () => {
  vi.stubGlobal('window', {})
  expect(new PaymentIntents({ apiKey })).toBeInstanceOf(PaymentIntents)
})

const milliseconds = 'must be a number of milliseconds greater than 0 and less than 2147483648'
const card = '4539148803436467'

test.each<[name: string, value: unknown, rule: string]>([
  ['timeout', 2 ** 31, milliseconds],
  ['totalTimeout', Number(card), milliseconds],
  ['timeout', card, `${milliseconds}; received a string`],
  ['totalTimeout', Number.NaN, milliseconds],
  ['maxRetries', 0.5, 'must be a whole number from 0'],
  ['maxRetries', -1, 'must be a whole number from 0'],
  ['maxRetries', [card], 'must be a whole number from 0; received an array'],
  ['translate', card, 'must be a function of a response'],
])('rejects the option %s if it is %j, and does not repeat it', (name, value, rule) => {
  const create = () => new PaymentIntents({ [name]: value })
  expect(create).toThrow(new ConfigurationError(name, `${rule}.`))
})

test('check() finds an unreachable service, a rejected key, and another server', async () => {
  const unreachable = new PaymentIntents({ apiKey, baseUrl, maxRetries: 0 })
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
    environment: 'test',
  })
  expect(service.intents).toEqual([])
  const known = await scriptedService(problem(404, 'payment_intent_not_found'))
  for (const [key, environment] of [
    [sampleKey('0', { mode: 'live' }), 'live'],
    [apiKey, undefined],
  ] as const) {
    const intents = new PaymentIntents({ apiKey: key, baseUrl: known.url })
    expect(await intents.check()).toEqual({ environment })
  }
  expect(known.requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
})
