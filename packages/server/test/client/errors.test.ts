import { expect, test, vi } from 'vitest'
import {
  type CreateOptions,
  type CreateParams,
  InvalidParamsError,
  PiError,
} from '../../src/index.ts'
import { clientOf, created, order } from '../scripted-service.ts'

test('PiError.is accepts an error of another copy of the package', async () => {
  vi.resetModules()
  const copy = await import('../../src/client/errors.ts')
  const facts = { outcome: 'rejected', retryable: false, status: 401 } as const
  const error = new copy.PiError('rejected', { ...facts, code: 'invalid_credentials' })
  expect(error instanceof PiError).toBe(false)
  expect(PiError.is(error) && error.status).toBe(401)
  for (const other of [new TypeError(), undefined, null, { name: 'PiError' }]) {
    expect(PiError.is(other)).toBe(false)
  }
})

const attempts = [0, -1, 1.5, '2' as never].map((attempt) => ['attempt', {}, { attempt }] as const)
test.each<readonly [field: string, Partial<CreateParams>, CreateOptions]>([
  ['amount', { amount: 1.5 }, {}],
  ['amount', { amount: undefined as never, orderId: '' }, {}],
  ...attempts,
])('a create with a malformed %s (%j, %j) sends nothing', async (field, changes, options) => {
  const { service, intents } = await clientOf([created()])
  const params = { ...order, ...changes }
  const error = await intents.create(params, options).catch((error: unknown) => error)
  if (!(error instanceof InvalidParamsError)) throw error
  expect([error.name, error.errors[0]?.pointer]).toEqual(['InvalidParamsError', `/${field}`])
  expect(error.errors).toHaveLength(changes.orderId === undefined ? 1 : 2)
  expect(error.message).toBe(error.errors.map(({ detail }) => detail).join('; '))
  expect(service.requests).toEqual([])
})

test.each(['..', '.', '%2e%2e', 'a/b', 'a?x', '\\..\\x', '', 'x'.repeat(129)])(
  'a retrieve with the id %j sends nothing',
  async (id) => {
    const { service, intents } = await clientOf([created()])
    await expect(intents.retrieve(id)).rejects.toThrow(/^id: must be the id of a Payment Intent/)
    expect(service.requests).toEqual([])
  },
)
