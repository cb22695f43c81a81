import { expect, test } from 'vitest'
import { PaymentIntents } from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'
import { shop } from '../checkout/shop.ts'
import { foreignService, probeOver, styles, withProbedProfile } from '../foreign-services.ts'

async function probe(
  service: FakeService,
  args: readonly string[] = ['--yes'],
  ask?: (question: string) => Promise<string>,
) {
  const probed = await probeOver(service, args, ask)
  for (const secret of [service.options.apiKey, '_secret_']) {
    expect(probed.output).not.toContain(secret)
  }
  return probed
}

test.each(styles)(
  'a profile of the service "%s" leaves at most two questions open',
  async (style) => {
    const { code, output, profile } = await probe(foreignService(style))
    expect(code).toBe(0)
    expect(output.match(/^OPEN/gm)?.length).toBeLessThanOrEqual(2)
    expect(Object.values(profile().statuses)).toEqual(['open'])
  },
)

test.each(styles)('the probed profile of "%s" knows its errors and times', async (style) => {
  const service = (await withProbedProfile(style))()
  const intents = new PaymentIntents({ ...service.options, maxRetries: 0 })
  await intents.check()
  const order = { amount: 2, currency: 'AMD', orderId: 'A-1' } as const
  const { intent } = await intents.create(order, { idempotencyKey: 'k' })
  const { createdAt } = await intents.retrieve(intent.id)
  expect(createdAt?.slice(0, 19)).toBe(service.intents[0]?.createdAt?.slice(0, 19))
  const reused = intents.create({ ...order, amount: 3 }, { idempotencyKey: 'k' })
  await expect(reused).rejects.toMatchObject({
    code: 'idempotency_key_reused',
    outcome: 'rejected',
  })
})

test('a service that names itself as ours needs no profile', async () => {
  const { code, output } = await probe(fakeService())
  expect([code, output]).toEqual([0, expect.stringContaining('no profile is needed')])
})

test('a service on which a retry creates a second intent fails', async () => {
  const service = fakeService()
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('idempotency-key', crypto.randomUUID())
    return service.fetch(input, { ...init, headers })
  }
  const { code, output } = await probe({ ...service, fetch })
  expect(code).toBe(1)
  expect(output).toContain('FAIL  create again with the same key')
})

/** Returns the service with an accepted key that names no environment. */
function withOtherKey(service: FakeService): FakeService {
  const headers = { authorization: `Bearer ${service.options.apiKey}` }
  const fetch: typeof globalThis.fetch = (input, init) =>
    service.fetch(input, { ...init, headers: { ...init?.headers, ...headers } })
  return { ...service, fetch, options: { ...service.options, apiKey: 'key-of-another-form' } }
}

test('a key that may be live is used only after a yes', async () => {
  const service = withOtherKey(fakeService())
  const { code, output } = await probe(service, [], async () => 'no')
  expect([code, service.requests]).toEqual([2, []])
  expect(output).toMatch(
    /creates two Payment Intents of 1 minor unit AMD at http:[\s\S]+Nothing was sent/,
  )
  const answers = ['yes', 'PAID', 'DECLINED']
  const foreign = withOtherKey(foreignService('plain'))
  const { profile } = await probe(foreign, [], async () => answers.shift() ?? '')
  expect(profile().statuses).toEqual({ NEW: 'open', DECLINED: 'failed', PAID: 'paid' })
})

test('without a profile a foreign service can be handed off to, and nothing is paid', async () => {
  const service = foreignService('misleading')
  const { checkout, intent, phase, paid, errors } = shop({ service })
  const id = await intent()
  expect(id).toMatch(/^pi_/)
  const order = { amount: 100, currency: 'AMD', orderId: 'A-1' } as const
  const { intent: created } = await new PaymentIntents(service.options).create(order)
  expect(created).toMatchObject({ status: 'unknown', createdAt: null })
  for (const status of ['processing', 'succeeded'] as const) {
    service.settle(id, status)
    expect([await phase(), paid]).toEqual(['payment_unavailable', []])
  }
  const [error] = errors
  expect(String(error)).toMatch(
    /its field for the status.*npx pi-checkout probe --write profile.json/,
  )
  await expect(checkout.check()).rejects.toThrow('npx pi-checkout probe')
})
