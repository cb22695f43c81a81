import { sampleKey } from '@pi-checkout/test-support/api-key'
import { afterEach, expect, test, vi } from 'vitest'
import { checkedOrigin } from '../../src/client/configuration.ts'
import { ConfigurationError, PaymentIntents, type PaymentIntentsOptions } from '../../src/index.ts'
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
  ['PI_API_KEY', { baseUrl }],
  ['PI_BASE_URL', { apiKey }],
])('names a missing %s, and the command that sets it', async (field, options) => {
  vi.stubEnv(field, undefined)
  const intents = new PaymentIntents({ ...options, fetch })
  const rejected = (thrown: unknown) => {
    expect(thrown).toMatchObject({ name: 'ConfigurationError', code: 'missing_variable', field })
    const fix = `^${field}: .* not set\\. Set it to .* "npx pi-service exec -- COMMAND", which sets it`
    expect(String(Object(thrown).message)).toMatch(new RegExp(fix))
  }
  await intents.check().catch(rejected)
  for (const process of [undefined, {}]) {
    vi.stubGlobal('process', process)
    // The test runner needs its process.
    const call = new Promise(() => intents.scope())
    vi.unstubAllGlobals()
    await call.then(() => expect.fail('found a variable'), rejected)
  }
})

function thrownBy(call: () => unknown): Partial<ConfigurationError> {
  try {
    call()
  } catch (error) {
    if (error instanceof ConfigurationError) return error
  }
  return expect.fail('threw no ConfigurationError')
}

const milliseconds = 'milliseconds greater than 0 and less than 2147483648'
const card = '4539148803436467'

/** Values of an option with the rule that they break. */
const malformed: readonly (readonly [option: string, rule: string, ...values: unknown[]])[] = [
  ['apiKey', 'without spaces', 'long-enough and a space', 'line\nend-of-key', 'short', 12345678],
  ['apiKey', 'visible ASCII', 'ключ-ключ-ключ', `"${sampleKey('a')}"`, "'key-in-single-quotes'"],
  ['apiKey', 'must be pi_sk_test_', 'pi_sk_test_cutoff', `pi_sk_test_${'a'.repeat(36)}`],
  ['apiKey', 'Copy the complete key', sampleKey('a').slice(0, -1)],
  ['apiKey', 'is a clientSecret', 'pi_abc_secret_abcdef'],
  ['baseUrl', 'an absolute https URL', 'xhttps://pay.example', 'javascript:alert(1)', '//pay.test'],
  ['baseUrl', 'must be https', 'http://pay.example', 'http://localhost.evil.example'],
  ['baseUrl', 'a user name or password', 'https://user@pay.example', 'https://:word@pay.example'],
  ['baseUrl', 'a query or a fragment', 'https://pay.example/?', 'https://pay.example/#x'],
  ['timeout', milliseconds, 2 ** 31, card, 0, Number(card), Number.NaN],
  ['maxRetries', 'a whole number from 0', 0.5, -1, [card]],
  ['namespace', 'well-formed text', '\ud800', 7],
  ['translate', 'a function of a response', card],
  ['shopOrigin', 'https; http is for loopback only', 'http://shop.example'],
  ['shopOrigin', 'a lowercase origin', 'https://me:word@Shop.example/p?key=s', undefined, null, 7],
  ['shopOrigin', 'without a path or default port', 'https://shop.example//', 'http://localhost:80'],
  ['shopOrigin', 'such as https:', 'a2+b.c-d://me@Shop.example?key\n=s', 'shop.test'],
]
const malformedValues = malformed.flatMap(([option, rule, ...values]) =>
  values.map((value) => [option, value, rule] as const),
)
test.each(malformedValues)(
  'rejects the option %s if it is %j, and does not repeat it',
  (field, value, rule) => {
    const options: PaymentIntentsOptions = { apiKey, baseUrl, [field]: value }
    const error = thrownBy(() =>
      field === 'shopOrigin'
        ? checkedOrigin(value, { name: field, of: 'createCheckout()' })
        : new PaymentIntents(options),
    )
    expect(error).toMatchObject({ name: 'ConfigurationError', code: 'malformed_option', field })
    expect(error.message).toMatch(new RegExp(`^${field}: .*${rule}.*\\.$`))
    if (typeof value === 'string') expect(error.message).not.toContain(value)
    const variable = { apiKey: 'PI_API_KEY', baseUrl: 'PI_BASE_URL' }[field]
    if (variable === undefined || typeof value !== 'string') return
    vi.stubEnv(variable, value)
    const intents = new PaymentIntents({ ...options, [field]: undefined })
    const { message } = thrownBy(() => intents.scope())
    expect(message).toBe(error.message?.replace(field, variable))
  },
)

test('rejects a malformed time limit of a call', async () => {
  const call = new PaymentIntents({ apiKey, baseUrl }).retrieve('pi_1', { totalTimeout: 0 })
  await expect(call).rejects.toThrow(new RegExp(`^totalTimeout: .*${milliseconds}`))
})

test('accepts a base URL and an origin on the loopback, and without a trailing slash', () => {
  const urls = ['https://pay.example:8443/v1/', 'http://localhost:4000', 'http://[::1]:4000']
  for (const baseUrl of urls) new PaymentIntents({ apiKey, baseUrl })
  for (const origin of ['https://shop.example', 'http://localhost:3000']) {
    expect(checkedOrigin(origin, { name: 'shopOrigin' })).toBe(origin)
    expect(checkedOrigin(`${origin}/`, { name: 'shopOrigin' })).toBe(origin)
  }
})

test('rejects a browser and names the package for it, but not a runtime with a window', () => {
  vi.stubGlobal('window', {})
  expect(new PaymentIntents({ apiKey })).toBeInstanceOf(PaymentIntents)
  vi.stubGlobal('document', {})
  expect(() => new PaymentIntents({ apiKey })).toThrow(/not run in a browser\. Use @pi-checkout/)
})

test.each([
  [404, 'not_found'],
  [401, 'invalid_credentials'],
] as const)('check() finds a server that responds with %i %s', async (status, code) => {
  const { intents } = await clientOf([problem(status, code)])
  await expect(intents.check()).rejects.toMatchObject({ code })
})

test('check() creates nothing', async () => {
  const service = fakeService()
  await new PaymentIntents(service.options).check()
  expect(service.intents).toEqual([])
})

function scopeOf(key: string, options: PaymentIntentsOptions = {}): string {
  return new PaymentIntents({ apiKey: key, baseUrl, ...options }).scope()
}
const ours = sampleKey('a', { environment: 'Ararat' })

test('the scope is the environment that the key names, at each address and after a rotation', () => {
  for (const baseUrl of ['http://localhost:4000', 'https://pay.example/v1/']) {
    expect(scopeOf(ours, { baseUrl })).toBe('test AraratAraratArar')
  }
  expect(scopeOf(sampleKey('b', { environment: 'Ararat' }))).toBe(scopeOf(ours))
})

test('the scope differs between environments and namespaces of one service', () => {
  const scopes = [
    scopeOf(ours),
    scopeOf(sampleKey('a', { environment: 'Ararat', mode: 'live' })),
    scopeOf(sampleKey('a', { environment: 'Sevan' })),
    scopeOf(ours, { namespace: 'books' }),
    scopeOf(ours, { namespace: 'books ' }),
    scopeOf(apiKey, { namespace: 'books' }),
    scopeOf(apiKey, { namespace: 'books live' }),
    scopeOf(apiKey, { namespace: scopeOf(ours) }),
    scopeOf(apiKey, { namespace: scopeOf(ours, { namespace: 'books' }) }),
  ]
  expect(new Set(scopes).size).toBe(scopes.length)
})

test.each([undefined, ''])('a key of another form needs a namespace, not %j', (namespace) => {
  const { field, message } = thrownBy(() => scopeOf(apiKey, { namespace }))
  expect(field).toBe('namespace')
  expect(message).toMatch(/names no environment\. .* 'acme live'/)
})
