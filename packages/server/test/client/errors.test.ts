import { expect, onTestFinished, test, vi } from 'vitest'
import { deprecate } from '../../src/client/deprecate.ts'
import { combineOutcomes } from '../../src/client/errors.ts'
import {
  AbortedError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  ContractError,
  createHandoff,
  cspFor,
  IdempotencyConflictError,
  InvalidParamsError,
  idempotencyKey,
  type Outcome,
  PaymentIntents,
  PiError,
} from '../../src/index.ts'
import { apiKey, order } from '../scripted-service.ts'

test('PiError.is accepts an error of another copy of the package', async () => {
  vi.resetModules()
  const copy = await import('../../src/client/errors.ts')
  const facts = { outcome: 'rejected', retryable: false, requests: [], status: 401 } as const
  const error = new copy.ApiError('rejected', { ...facts, code: 'invalid_credentials' })
  expect([error instanceof PiError, error instanceof ApiError]).toEqual([false, false])
  expect(PiError.is(error) && error.name === 'ApiError' && error.status).toBe(401)
  for (const other of [new TypeError(), new Error(), undefined, null, { name: 'ApiError' }]) {
    expect(PiError.is(other)).toBe(false)
  }
})

test('PiError.is accepts an error of an earlier version', () => {
  const brand = Symbol.for('pi-checkout.error')
  expect(PiError.is(Object.assign(new Error(), { [brand]: true }))).toBe(true)
})

const classes = [
  PiError,
  ApiError,
  ConnectionError,
  IdempotencyConflictError,
  ContractError,
  AbortedError,
] as const
test.each(classes)('%o has its own name, and no cause unless one is given', (type) => {
  const facts = { code: 'aborted', outcome: 'unknown', retryable: true, requests: [] }
  const error = new type('was aborted', facts as never)
  expect(error.name).toBe(type.name)
  expect(error).not.toHaveProperty('cause')
  expect(new type('was aborted', { ...facts, cause: 'left' } as never).cause).toBe('left')
  if (error instanceof ApiError) expect(error).toMatchObject({ errors: [], errorsOmitted: 0 })
})

test.each<[Outcome, readonly Outcome[]]>([
  ['not_sent', []],
  ['not_sent', ['not_sent', 'not_sent']],
  ['rejected', ['not_sent', 'rejected', 'not_sent']],
  ['unknown', ['rejected', 'unknown', 'rejected']],
])('a call is %s after requests that are %j', (outcome, outcomes) => {
  expect(combineOutcomes(outcomes)).toBe(outcome)
})

const baseUrl = 'http://127.0.0.1:1'
test.each<[() => unknown, string, received?: string]>([
  [() => new PaymentIntents({ baseUrl: 'shop' }), 'baseUrl'],
  [() => new PaymentIntents({ apiKey: 'a b' }), 'apiKey'],
  [() => new PaymentIntents({ timeout: 0 }), 'timeout', '; received 0.'],
  [() => new PaymentIntents({ maxRetries: -1 }), 'maxRetries'],
  [
    () => new PaymentIntents({ apiVersion: 'x'.repeat(99) }),
    'apiVersion',
    `; received "${'x'.repeat(60)}".`,
  ],
  [() => cspFor({ checkoutOrigin: 'pay.example' }), 'checkoutOrigin'],
  [() => createHandoff({ shopOrigin: 'shop' } as never), 'shopOrigin'],
])('%s is a ConfigurationError that names the option', async (create, field, received = '') => {
  const error = await new Promise(create).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({ name: 'ConfigurationError', code: 'malformed_option', field })
  expect(error).not.toHaveProperty('cause')
  expect(String(error)).toMatch(new RegExp(`^ConfigurationError: ${field}: .*${received}`))
})

const client = new PaymentIntents({ apiKey, baseUrl })
test.each<[() => Promise<unknown>, Record<string, string>]>([
  [() => idempotencyKey({ ...order, amount: 1.5 }), { '/amount': 'not_an_integer' }],
  [
    () => idempotencyKey({ currency: 'AMD' } as never),
    { '/amount': 'required', '/orderId': 'required' },
  ],
  [() => idempotencyKey(order, { attempt: 0 }), { '/attempt': 'invalid_format' }],
  [() => client.retrieve('..'), { '/id': 'invalid_format' }],
  [() => client.create(order, { idempotencyKey: '' }), { '/idempotencyKey': 'invalid_format' }],
])('%s is an InvalidParamsError that lists each field', async (call, fields) => {
  const error = await call().catch((error: unknown) => error)
  if (!(error instanceof InvalidParamsError)) throw error
  expect(error.name).toBe('InvalidParamsError')
  expect(Object.fromEntries(error.errors.map(({ pointer, code }) => [pointer, code]))).toEqual(
    fields,
  )
  const [path] = Object.keys(fields)
  expect(error.message).toMatch(new RegExp(`^${path?.slice(1)}:? `))
  expect(error.message).toBe(error.errors.map(({ detail }) => detail).join('; '))
})

test('warns of a deprecation once per process', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => emitWarning.mockRestore())
  for (const _ of [1, 2]) deprecate('PI_DEP_1', 'old() is now called next().')
  const options = { type: 'DeprecationWarning', code: 'PI_DEP_1' }
  expect(emitWarning.mock.calls).toEqual([['old() is now called next().', options]])
})

test.each([undefined, {}])('warns of a deprecation where process is %j', (process) => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  vi.stubGlobal('process', process)
  deprecate(process ? 'PI_DEP_2' : 'PI_DEP_3', 'old() is now called next().')
  vi.unstubAllGlobals()
  expect(warn.mock.calls).toEqual([
    [
      expect.stringMatching(
        /^\[PI_DEP_[23]\] DeprecationWarning: old\(\) is now called next\(\)\.$/,
      ),
    ],
  ])
})
