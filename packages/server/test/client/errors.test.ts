import { expect, onTestFinished, test, vi } from 'vitest'
import { deprecate } from '../../src/client/deprecate.ts'
import {
  ApiError,
  ConfigurationError,
  createHandoff,
  cspFor,
  InvalidParamsError,
  idempotencyKey,
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

const baseUrl = 'http://127.0.0.1:1'
test.each<[() => unknown, string]>([
  [() => new PaymentIntents({ baseUrl: 'shop' }), 'baseUrl'],
  [() => new PaymentIntents({ apiKey: 'a b' }), 'apiKey'],
  [() => new PaymentIntents({ timeout: 0 }), 'timeout'],
  [() => new PaymentIntents({ maxRetries: -1 }), 'maxRetries'],
  [() => new PaymentIntents({ apiVersion: 'latest' }), 'apiVersion'],
  [() => cspFor({ checkoutOrigin: 'pay.example' }), 'checkoutOrigin'],
  [() => createHandoff({ shopOrigin: 'shop' } as never), 'shopOrigin'],
])('%s is a ConfigurationError that names the option', (create, field) => {
  const error = thrownBy(create)
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({ name: 'ConfigurationError', code: 'malformed_option', field })
  expect(String(error)).toMatch(new RegExp(`^ConfigurationError: ${field}: `))
})

test('a missing variable is a ConfigurationError', async () => {
  vi.stubEnv('PI_API_KEY', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const call = new PaymentIntents({ baseUrl }).create(order)
  await expect(call).rejects.toMatchObject({ code: 'missing_variable', field: 'PI_API_KEY' })
})

test.each<[() => Promise<unknown>, string]>([
  [() => idempotencyKey({ ...order, amount: 1.5 }), '/amount'],
  [() => idempotencyKey(order, { attempt: 0 }), '/attempt'],
  [() => new PaymentIntents({ apiKey, baseUrl }).retrieve('..'), '/id'],
  [
    () => new PaymentIntents({ apiKey, baseUrl }).create(order, { idempotencyKey: '' }),
    '/idempotencyKey',
  ],
])('%s is an InvalidParamsError that lists the field', async (call, pointer) => {
  const error = await call().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(InvalidParamsError)
  expect(error).toMatchObject({ errors: [{ pointer, code: expect.any(String) }] })
  expect(String(error)).toContain((error as InvalidParamsError).errors[0]?.detail)
})

test('warns of a deprecation once per process', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  onTestFinished(() => emitWarning.mockRestore())
  for (const _ of [1, 2]) deprecate('PI_DEP_1', 'old() is now called next().')
  const options = { type: 'DeprecationWarning', code: 'PI_DEP_1' }
  expect(emitWarning.mock.calls).toEqual([['old() is now called next().', options]])
})

function thrownBy(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}
