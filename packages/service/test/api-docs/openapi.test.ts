import { readFileSync } from 'node:fs'
import {
  CreatePaymentIntentSchema,
  paymentIntentStatuses,
  problemCodes,
} from '@pi-checkout/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../shared/routes.ts'
import { openapi } from '../../src/api-docs/openapi.ts'

const description = openapi('http://127.0.0.1:4000')

// The bodies that a reader of the description accepts.
const Described = z.fromJSONSchema(
  description.components.schemas.CreatePaymentIntent as z.core.JSONSchema.JSONSchema,
)
const valid = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

test.each<[string, unknown, boolean]>([
  ['a minimal body', valid, true],
  ['lower case', { ...valid, currency: 'amd' }, true],
  ['everything', { ...valid, customer: { id: 'c', email: 'a@b', name: 'n' }, metadata: {} }, true],
  ['explicit nulls', { ...valid, customer: null, metadata: null }, true],
  ['an order id in another script', { ...valid, orderId: 'Պատվեր 7' }, true],
  ['no amount', { currency: 'AMD', orderId: 'A-1001' }, false],
  ['half a unit', { ...valid, amount: 1.5 }, false],
  ['nothing to pay', { ...valid, amount: 0 }, false],
  ['more than a double holds', { ...valid, amount: 2 ** 53 }, false],
  ['another currency', { ...valid, currency: 'GBP' }, false],
  ['an empty order id', { ...valid, orderId: '' }, false],
  ['33 characters', { ...valid, orderId: 'x'.repeat(33) }, false],
  ['a misspelt field', { ...valid, order_id: 'A' }, false],
  ['a customer without id', { ...valid, customer: { name: 'n' } }, false],
  ['an e-mail without @', { ...valid, customer: { id: 'c', email: 'no-at-sign' } }, false],
  ['metadata of numbers', { ...valid, metadata: { a: 1 } }, false],
  ['a long metadata key', { ...valid, metadata: { ['k'.repeat(41)]: '' } }, false],
  ['a long metadata value', { ...valid, metadata: { k: 'v'.repeat(501) } }, false],
  ['a list', [], false],
])('accepts and rejects the same bodies as the service: %s', (_, body, accepted) => {
  expect(CreatePaymentIntentSchema.safeParse(body).success).toBe(accepted)
  expect(Described.safeParse(body).success).toBe(accepted)
})

const { schemas } = description.components
const example = {
  id: `pi_${'a'.repeat(24)}`,
  clientSecret: `pi_${'a'.repeat(24)}_secret_${'a'.repeat(48)}`,
  ...valid,
  customer: { id: 'c' },
  metadata: {},
  status: 'requires_action',
  paymentMethod: {
    type: 'card',
    card: { brand: 'visa', last4: '4242', expMonth: 1, expYear: 2030, funding: 'credit' },
  },
  lastPaymentFailure: {
    code: 'card_declined',
    declineCode: null,
    message: 'No.',
    retryable: true,
    occurredAt: '2026-01-01T00:00:00.000Z',
  },
  nextAction: { type: 'challenge', expiresAt: '2026-01-01T00:00:00.000Z' },
  providerPaymentId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}
const problem = {
  type: '/docs#x',
  title: 'X',
  status: 400,
  detail: 'X',
  code: 'validation_failed',
  requestId: `req_${'a'.repeat(20)}`,
  retryable: false,
  errors: [{ pointer: '/a', code: 'required', detail: 'a' }],
}

for (const [name, response] of [
  ['PaymentIntent', example],
  ['CreatedPaymentIntent', example],
  ['Problem', problem],
] as const) {
  test(`lets clients that read ${name} accept fields and values of later versions`, () => {
    const Response = z.fromJSONSchema(schemas[name] as z.core.JSONSchema.JSONSchema)
    for (const later of [response, ...laterVersions(response)]) {
      expect([later, Response.safeParse(later).success]).toEqual([later, true])
    }
  })
}

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

const guide = readFileSync(new URL('../../guides/api.md', import.meta.url), 'utf8')

test('the guide says what to do about every error, with its status', () => {
  for (const [code, { status }] of Object.entries(problemCodes)) {
    expect(guide).toMatch(new RegExp(`^\\| \`${code}\` \\| ${status} \\| .+ \\|$`, 'm'))
  }
})

test('the guide lists every status and every route of the sandbox API', () => {
  for (const status of paymentIntentStatuses) expect(guide).toContain(`| \`${status}\` |`)
  for (const { method, path } of Object.values(routes)) {
    if (path.startsWith('/_sandbox/') && path !== routes.inspector.path)
      expect(guide).toContain(`| \`${method} ${path}\` |`)
  }
})
