import { CreatePaymentIntentSchema, type ProblemCode, problemCodes } from '@pi-checkout/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openapi } from '../../src/api-docs/openapi.ts'
import { described, Merchant, order, sendRaw, startTestService } from '../support/service.ts'

const service = await startTestService()
const { url } = service
const unknown = `pi_${'0'.repeat(24)}`
const wrong = new Merchant({ ...service, apiKey: 'pi_sk_test_no' })
const fault = (name: string) => ({ 'sandbox-fault': name })

type Causes = Partial<Record<ProblemCode, () => Promise<Response>>>

/** All but `timeout` and a key that is in use, which need more than one request. */
const ofCreate: Causes = {
  method_not_allowed: () => fetch(`${url}/payment-intents`, { method: 'PUT' }),
  secret_key_in_browser: () => service.create(order, { 'sec-fetch-site': 'cross-site' }),
  unsupported_media_type: () => service.create(order, { 'content-type': 'text/plain' }),
  payload_too_large: () => service.create('x'.repeat(70_000)),
  invalid_header: () => service.create(order, fault('unknown')),
  missing_credentials: () => fetch(`${url}/payment-intents`, { method: 'POST' }),
  invalid_credentials: () => wrong.create(),
  revoked_credentials: async () => (await revoked()).create(),
  rate_limited: () => service.create(order, fault('429')),
  invalid_idempotency_key: () => service.create(order, { 'idempotency-key': 'a b' }),
  malformed_json: () => service.create('{'),
  invalid_body: () => service.create('[]'),
  validation_failed: () => service.create({ ...order, amount: 0 }),
  unknown_parameter: () => service.create({ ...order, order_id: '1' }),
  idempotency_key_reused: async () => {
    await service.create(order, { 'idempotency-key': 'reused' })
    return await service.create({ ...order, amount: 1 }, { 'idempotency-key': 'reused' })
  },
  request_timeout: unfinished,
  internal_error: () => service.create(order, fault('500')),
  store_unavailable: () => service.create(order, fault('503')),
}

const ofRetrieve: Causes = {
  method_not_allowed: () => fetch(`${url}/payment-intents/${unknown}`, { method: 'DELETE' }),
  secret_key_in_browser: () => service.retrieve(unknown, { origin: 'https://shop.example' }),
  invalid_credentials: () => wrong.retrieve(unknown),
  payment_intent_not_found: () => service.retrieve(unknown),
}

test.each([
  ...Object.entries(ofCreate).map(([code, cause]) => ['create', code, cause] as const),
  ...Object.entries(ofRetrieve).map(([code, cause]) => ['retrieve', code, cause] as const),
])('returns the documented problem of %s: %s', async (operation, code, cause) => {
  const response = await described(await cause(), operation)
  const facts = problemCodes[code as ProblemCode]
  expect(response.status).toBe(facts.status)
  expect(await response.json()).toEqual({
    ...facts,
    code,
    type: `/docs#${code}`,
    requestId: response.headers.get('request-id'),
    detail: expect.any(String),
    errors: expect.any(Array),
  })
})

async function revoked(): Promise<Merchant> {
  const merchant = await service.newKey('Revoked')
  await service.administer(({ revokeKey }, db) => revokeKey(db, merchant.id))
  return merchant
}

/** Announces a body and never sends it, until the server's timeout. */
async function unfinished(): Promise<Response> {
  const timeouts = { headersTimeout: 500, requestTimeout: 500, connectionsCheckingInterval: 100 }
  const hasty = await startTestService({}, timeouts)
  return await sendRaw(hasty.url, [
    'POST /payment-intents HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${hasty.apiKey}`,
    'Content-Type: application/json',
    'Content-Length: 100',
  ])
}

test('serves the documentation with a row for each code', async () => {
  const page = await (await fetch(`${url}/docs`)).text()
  for (const code of Object.keys(problemCodes)) expect(page).toContain(`<tr id="${code}">`)
  const [sheet = '', ...others] = [...page.matchAll(/<link rel="stylesheet"[^>]*href="([^"]+)"/g)]
  expect((await fetch(url + sheet[1])).headers.get('content-type')).toContain('text/css')
  expect(others).toEqual([])
})

test('its address leads to the documentation, the inspector, and the OpenAPI document', async () => {
  const response = await fetch(url, { headers: { accept: 'text/html' } })
  expect(response.url).toBe(`${url}/docs`)
  const [start = ''] = (await response.text()).split('<h2')
  const paths = [...start.matchAll(/<a [^>]*href="(\/[^"]*)"/g)].map(([, path = '']) => path)
  expect(paths).toEqual(['/', '/_sandbox/', '/docs', '/openapi.json'])
  for (const path of paths) expect((await fetch(url + path)).status, path).toBe(200)
})

const { schemas } = openapi('http://127.0.0.1:4000').components

/** What a reader of the description accepts. */
const schemaOf = (name: keyof typeof schemas) =>
  z.fromJSONSchema(schemas[name] as z.core.JSONSchema.JSONSchema)

test.each<[string, unknown, boolean]>([
  ['a minimal body', order, true],
  ['everything', { ...order, customer: { id: 'c', email: 'a@b', name: 'n' }, metadata: {} }, true],
  ['explicit nulls', { ...order, customer: null, metadata: null }, true],
  ['an order id in another script', { ...order, orderId: 'Պատվեր 7' }, true],
  ['half a unit', { ...order, amount: 1.5 }, false],
  ['more than a double holds', { ...order, amount: 2 ** 53 }, false],
  ['another currency', { ...order, currency: 'GBP' }, false],
  ['33 characters', { ...order, orderId: 'x'.repeat(33) }, false],
  ['an e-mail without @', { ...order, customer: { id: 'c', email: 'no-at-sign' } }, false],
  ['metadata of numbers', { ...order, metadata: { a: 1 } }, false],
  ['a long metadata key', { ...order, metadata: { ['k'.repeat(41)]: '' } }, false],
])('accepts and rejects the same bodies as the service: %s', (_, body, accepted) => {
  expect(CreatePaymentIntentSchema.safeParse(body).success).toBe(accepted)
  expect(schemaOf('CreatePaymentIntent').safeParse(body).success).toBe(accepted)
})

test('lets clients accept fields and values of later versions', async () => {
  const sent = { ...order, customer: { id: 'c' }, metadata: {} }
  const { id, ...intent } = await service.created(sent)
  const examples: [keyof typeof schemas, unknown][] = [['CreatedPaymentIntent', { id, ...intent }]]
  for (const outcome of ['declined', 'requires_action']) {
    await service.control('POST', `/intents/${id}/settle`, { outcome })
    examples.push(['PaymentIntent', await (await service.retrieve(id)).json()])
  }
  examples.push(['Problem', await (await service.create({ amount: 0 })).json()])
  for (const [name, response] of examples) {
    const Response = schemaOf(name)
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
