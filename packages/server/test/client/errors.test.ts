import { expect, test, vi } from 'vitest'
import {
  createCheckout,
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
  const error = new copy.PiError('rejected', { ...facts, code: 'invalid_credentials' })
  expect(error instanceof PiError).toBe(false)
  expect(PiError.is(error) && error.status).toBe(401)
  for (const other of [new TypeError(), new Error(), undefined, null, { name: 'PiError' }]) {
    expect(PiError.is(other)).toBe(false)
  }
})

const baseUrl = 'http://127.0.0.1:1'
test.each<[() => unknown, string]>([
  [() => new PaymentIntents({ baseUrl: 'shop' }), 'baseUrl'],
  [() => cspFor({ checkoutOrigin: 'pay.example' }), 'checkoutOrigin'],
  [() => createCheckout({ basePath: 'shop' } as never), 'basePath'],
])('%s is a ConfigurationError that names the option', async (create, field) => {
  const error = await new Promise(create).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(TypeError)
  expect(error).toMatchObject({ name: 'ConfigurationError', code: 'malformed_option', field })
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
