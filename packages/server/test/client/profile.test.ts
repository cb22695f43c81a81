import { repeatable } from '@pi-checkout/test-support/generated'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { PaymentIntents, type Profile, verify } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'

afterEach(() => vi.unstubAllEnvs())

const expected = { id: 'pi_1', orderId: 'A-1001', amount: 100, currency: 'AMD' }
const order = { amount: 100, currency: 'AMD' } as const
const valid = { ...expected, customer: null, metadata: null }

const statuses = fc.constantFrom(
  'PAID',
  'paid',
  'succeeded',
  'settled',
  'new',
  'constructor',
  '',
  1,
  null,
)
const fieldNames = fc.constantFrom('status', 'state', 'Status', 'result')
const profiles: fc.Arbitrary<Profile> = fc
  .record({
    status: fc.option(fieldNames),
    phases: fc.dictionary(
      fc.constantFrom('PAID', 'paid', 'succeeded', 'settled', 'new'),
      fc.constantFrom('open', 'processing', 'paid', 'failed'),
    ),
  })
  .map(({ status, phases }) => ({
    fields: {
      status,
      paymentMethod: null,
      lastPaymentFailure: null,
      nextAction: null,
      providerPaymentId: null,
      createdAt: null,
      updatedAt: null,
    },
    statuses: phases,
    replayHeader: null,
    errors: { code: null, unknownIntent: { status: 404 }, keyReused: null, transient: [] },
  }))

/** A response that is the expected intent, or almost. */
const responses = fc
  .record({
    dropped: fc.subarray(Object.keys(valid)),
    changes: fc.dictionary(
      fc.constantFrom(...Object.keys(valid), 'other'),
      fc.oneof(fc.jsonValue(), fc.constantFrom(100, '100', 'AMD', 'amd', 'pi_1', 'A-1001')),
      { maxKeys: 2 },
    ),
    roles: fc.dictionary(fieldNames, statuses),
    isIntact: fc.boolean(),
  })
  .map(({ dropped, changes, roles, isIntact }) => {
    const intent: Record<string, unknown> = { ...valid, ...roles }
    if (isIntact) return intent
    for (const name of dropped) delete intent[name]
    return { ...intent, ...changes }
  })
const bodies = fc.oneof({ weight: 9, arbitrary: responses }, fc.jsonValue())

test('no response is paid without id, order, amount, currency, and a status that the profile calls paid', async () => {
  const paid = fc.asyncProperty(
    bodies,
    fc.option(profiles, { nil: undefined }),
    fc.boolean(),
    async (body, profile, namesOurs) => {
      const headers: Record<string, string> = namesOurs
        ? { 'payment-intents-profile': 'pi-checkout' }
        : {}
      const fetch = async () => Response.json(body, { headers })
      const options = { apiKey: 'key-of-the-test', baseUrl: 'https://pay.example', maxRetries: 0 }
      const intent = await new PaymentIntents({ ...options, fetch, profile })
        .retrieve(expected.id)
        .catch(() => undefined)
      const isPaid = intent !== undefined && verify(intent, expected) === 'paid'
      const sent = new Map(Object.entries(Object(body) as object))
      const isExpected = Object.entries(expected).every(([name, value]) => sent.get(name) === value)
      const status = profile ? sent.get(profile.fields.status ?? '\n') : sent.get('status')
      const isCalledPaid = profile
        ? new Map(Object.entries(profile.statuses)).get(String(status)) === 'paid'
        : namesOurs && status === 'succeeded'
      if (isPaid) expect([isExpected, isCalledPaid]).toEqual([true, true])
      // The generator also makes payments that are paid.
      else if (isExpected && isCalledPaid && sent.get('customer') === null) {
        expect(sent.get('metadata')).not.toBeNull()
      }
    },
  )
  await fc.assert(paid, repeatable(1000))
})

test('PI_PROFILE names a file, or ours', async () => {
  const { options, settle } = fakeService()
  const { handoff } = await new PaymentIntents(options).create({ ...order, orderId: 'A-1001' })
  settle(handoff.id, 'succeeded')
  // As behind a proxy that removes unknown headers.
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await options.fetch(input, init)
    response.headers.delete('payment-intents-profile')
    return response
  }
  const retrieve = () => new PaymentIntents({ ...options, fetch }).retrieve(handoff.id)
  await expect(retrieve()).rejects.toMatchObject({ code: 'profile_missing' })
  vi.stubEnv('PI_PROFILE', 'pi-checkout')
  expect(await retrieve()).toMatchObject({ status: 'succeeded' })
  vi.stubEnv('PI_PROFILE', '/no/such/profile.json')
  await expect(retrieve()).rejects.toThrow('PI_PROFILE: must be "pi-checkout", or a JSON file')
  const [profile] = fc.sample(profiles, 1)
  for (const [malformed, rule] of [
    [{ ...profile, statuses: { PAID: 'yes' } }, 'statuses.PAID'],
    [{ ...profile, fields: {} }, 'fields.status'],
    ['profile.json', 'must be a profile'],
  ] as const) {
    expect(() => new PaymentIntents({ profile: malformed as never })).toThrow(rule)
  }
})
