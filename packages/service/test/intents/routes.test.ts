import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { describe, expect, test } from 'vitest'
import { clientSecret } from '../../src/intents/client-secret.ts'
import { readIdempotencyKey } from '../../src/intents/idempotency.ts'
import { readSecretKey } from '../../src/secret-keys.ts'
import { isReplay, order, problemOf, startTestService, storeSettings } from '../support/service.ts'

describe.each(storeSettings)('%s', async (_, settings) => {
  const service = await startTestService(await settings())

  test('creates an intent with the sent fields, an id, and a clientSecret, which no read returns', async () => {
    const customer = { id: 'c-1', name: 'Ani' }
    const sent = { ...order, currency: 'amd', customer, metadata: { cart: '7' } }
    const response = await service.create(sent)
    const body = (await response.json()) as Record<string, unknown>
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(response.headers.get('location')).toBe(`/payment-intents/${body.id}`)
    expect(body).toEqual({
      ...sent,
      currency: 'AMD',
      id: expect.stringMatching(/^pi_[A-Za-z0-9]{24}$/),
      clientSecret: expect.stringMatching(new RegExp(`^${body.id}_secret_[0-9a-f]{64}$`)),
      status: 'requires_payment_method',
      paymentMethod: null,
      lastPaymentFailure: null,
      nextAction: null,
      providerPaymentId: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.createdAt,
    })
    const { clientSecret: _secret, ...rest } = body
    const read = await service.retrieve(String(body.id))
    expect([read.status, await read.json()]).toEqual([200, rest])
  })

  test('returns the stored response for a retry with the same key, also of a paid intent', async () => {
    const first = await service.create(order, { 'idempotency-key': 'retry-1' })
    expect(isReplay(first)).toBe(false)
    const text = await first.text()
    const { id } = JSON.parse(text) as { id: string }
    for (const body of [
      '{"orderId":"A-1001","currency":"amd","amount":1.5e5}',
      '{"orderId":"A-1001","currency":"amd","amount":150000.0}',
      '{"orderId":"A-1001","currency":"amd","amount":15000000e-2}',
      order,
    ]) {
      const retry = await service.create(body, { 'idempotency-key': 'retry-1' })
      expect([retry.status, isReplay(retry), await retry.text()]).toEqual([201, true, text])
      await service.control('POST', `/intents/${id}/settle`, { outcome: 'succeeded' })
      expect(await service.statusOf(id)).toBe('succeeded')
    }
  })

  test('rejects a reused key with another body, without data of the first', async () => {
    const key = { 'idempotency-key': 'other-body' }
    const { id } = await service.created(order, key)
    const response = await service.create({ ...order, amount: 150001 }, key)
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
      retryable: false,
      detail: 'This Idempotency-Key was used with another body. Use a new key for a new request.',
    })
    expect(text).not.toContain(id)
  })

  test('leaves the key of a rejected create unused', async () => {
    const key = { 'idempotency-key': 'fixed-later' }
    expect((await service.create({ ...order, amount: 0 }, key)).status).toBe(400)
    const fixed = await service.create(order, key)
    expect([fixed.status, isReplay(fixed)]).toEqual([201, false])
  })

  test('accepts a whole number in any notation as an amount', async () => {
    for (const literal of ['100', '100.0', '1e2', '10000e-2', '9007199254740991']) {
      const response = await service.create(`{"amount":${literal},"currency":"USD","orderId":"1"}`)
      expect(await response.json()).toMatchObject({ amount: Number(literal) })
    }
  })
})

const service = await startTestService()
const page = new HostedPage(service)
const odd = '\u0001'.repeat(70)

test.each<[what: string, send: () => Promise<Response>, omitted: number]>([
  ['6,000 unknown fields', () => service.create({ ...order, ...fields(6000) }), 5980],
  ['200 unknown fields without an API key', () => page.post('session', fields(200)), 183],
  ['5,000 invalid metadata values', () => service.create({ ...order, metadata: fields(5000) }), 0],
  ['names that grow', () => service.create({ ...order, ...fields(100, odd) }), 86],
])('names at most 20 invalid fields and counts the others: %s', async (_, send, omitted) => {
  const response = await send()
  const text = await response.text()
  expect([response.status, Buffer.byteLength(text) < 16_000]).toEqual([400, true])
  const { errors, errorsOmitted = 0 } = JSON.parse(text)
  expect([errors.length > 0, errors.length <= 20, errorsOmitted]).toEqual([true, true, omitted])
  for (const { detail } of errors) expect(detail.length).toBeLessThan(300)
})

function fields(count: number, stem = 'f'): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}${stem}`, 1]))
}

test('rejects a secret key sent by a browser, without CORS headers', async () => {
  const response = await service.retrieve('pi_x', { 'sec-fetch-site': 'none' })
  expect([...response.headers.keys()].join()).not.toContain('access-control')
  expect(await problemOf(response)).toBe('403 secret_key_in_browser')
})

const read = (value?: string) => readIdempotencyKey({ headers: { 'idempotency-key': value } })

test.each(['k', '"k"', 'a"b', '!~', 'x'.repeat(255), undefined])(
  'reads the Idempotency-Key %.20s as it is',
  (key) => expect(read(key)).toBe(key),
)

// A repeated header is one value with a comma and a space.
const malformed = ['', 'a b', '"a b"', 'é', 'x'.repeat(256), 'k, k']

test.each(malformed)('rejects the Idempotency-Key %.20s', (value) => {
  const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters, such as a UUID.'
  const rejected = expect.objectContaining({ code: 'invalid_idempotency_key', message })
  expect(() => read(value)).toThrow(rejected)
})

test('derives the same clientSecret in every instance and version, and another for another environment', () => {
  const keys = readSecretKey(Buffer.alloc(32, 'a fixed secret key').toString('base64url'))
  const secretOf = (environmentId: string) => clientSecret(keys, { id: 'pi_1', environmentId })
  const secret = 'pi_1_secret_72b4bd63caf73b54c41185c61bfa060eee3af5aa791a38c8edfa538456e52039'
  expect(secretOf('env_1')).toBe(secret)
  expect(secretOf('env_2')).not.toBe(secret)
})
