import { CreatePaymentIntentSchema } from '@pi-checkout/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openapi } from '../../src/api-docs/openapi.ts'
import { startTestService, order as valid } from '../support/service.ts'

const { schemas } = openapi('http://127.0.0.1:4000').components

/** What a reader of the description accepts. */
const described = (name: keyof typeof schemas) =>
  z.fromJSONSchema(schemas[name] as z.core.JSONSchema.JSONSchema)

test.each<[string, unknown, boolean]>([
  ['a minimal body', valid, true],
  ['everything', { ...valid, customer: { id: 'c', email: 'a@b', name: 'n' }, metadata: {} }, true],
  ['explicit nulls', { ...valid, customer: null, metadata: null }, true],
  ['an order id in another script', { ...valid, orderId: 'Պատվեր 7' }, true],
  ['half a unit', { ...valid, amount: 1.5 }, false],
  ['more than a double holds', { ...valid, amount: 2 ** 53 }, false],
  ['another currency', { ...valid, currency: 'GBP' }, false],
  ['33 characters', { ...valid, orderId: 'x'.repeat(33) }, false],
  ['an e-mail without @', { ...valid, customer: { id: 'c', email: 'no-at-sign' } }, false],
  ['metadata of numbers', { ...valid, metadata: { a: 1 } }, false],
  ['a long metadata key', { ...valid, metadata: { ['k'.repeat(41)]: '' } }, false],
])('accepts and rejects the same bodies as the service: %s', (_, body, accepted) => {
  expect(CreatePaymentIntentSchema.safeParse(body).success).toBe(accepted)
  expect(described('CreatePaymentIntent').safeParse(body).success).toBe(accepted)
})

test('lets clients accept fields and values of later versions', async () => {
  const service = await startTestService()
  const { id, ...intent } = await service.created({
    ...valid,
    customer: { id: 'c' },
    metadata: {},
  })
  const examples: [keyof typeof schemas, unknown][] = [['CreatedPaymentIntent', { id, ...intent }]]
  for (const outcome of ['declined', 'requires_action']) {
    await service.control('POST', `/intents/${id}/settle`, { outcome })
    examples.push(['PaymentIntent', await (await service.retrieve(id)).json()])
  }
  examples.push(['Problem', await (await service.create({ amount: 0 })).json()])
  for (const [name, response] of examples) {
    const Response = described(name)
    for (const later of [response, ...laterVersions(response)]) {
      expect([later, Response.safeParse(later).success]).toEqual([later, true])
    }
  }
})

/** Copies of a response: with another field in one object, or an unknown value in one closed list. */
function* laterVersions(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const each of value) for (const later of laterVersions(each)) yield [later]
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, later: 'x' }
    for (const [name, inner] of Object.entries(value)) {
      const isClosed = ['status', 'currency', 'type', 'code'].includes(name)
      if (isClosed && typeof inner === 'string') yield { ...value, [name]: 'later' }
      for (const later of laterVersions(inner)) yield { ...value, [name]: later }
    }
  }
}
