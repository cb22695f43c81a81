import { beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import {
  createBuckets,
  createRateLimits,
  failureDelay,
  maxBuckets,
} from '../../src/http/rate-limit.ts'
import type { Environment } from '../../src/merchants/environments.ts'
import { atEnd } from '../support/lifetime.ts'
import { create, order, startTestService, type TestService } from '../support/service.ts'

const rejected = expect.objectContaining({ code: 'rate_limited' })
let now = 0

beforeEach(() => {
  now = 3_600_000
})

test('blocks no client after the clock is set back', () => {
  const limit = createBuckets({ burst: 2, perSecond: 1 }, () => new Date(now))
  limit.take('a')
  now = 0
  limit.take('a')
  expect(() => limit.take('a')).toThrow(rejected)
  now += 1000
  limit.take('a')
})

test('limits an environment regardless of its headers, with Retry-After', async () => {
  const service = await startTestService({ PI_RATE_LIMIT: '1' })
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      create(service, order, { 'x-forwarded-for': `10.0.0.${index}` }),
    ),
  )
  const over = responses.find(({ status }) => status === 429)
  expect(Number(over?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(over?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
  // The limit is checked before the body: a request over it gets no field errors.
  const broken = await Promise.all(Array.from({ length: 30 }, () => create(service, 'no json')))
  expect(broken.map(({ status }) => status)).toContain(429)
})

test('limits a live environment to 200 requests, then 100 a second; no test environment', () => {
  fakeDate()
  const { request } = createRateLimits(readConfig({}, {}))
  const ask = (id: string, mode: 'live' | 'test', count: number): void => {
    for (let times = 0; times < count; times++) request({ id, mode } as Environment)
  }
  ask('env_test', 'test', 1000)
  ask('env_live', 'live', 200)
  const headers = { 'retry-after': '1', 'ratelimit-policy': '"default";q=200;w=2' }
  expect(() => ask('env_live', 'live', 1)).toThrow(
    expect.objectContaining({ code: 'rate_limited', headers: expect.objectContaining(headers) }),
  )
  ask('env_other', 'live', 1)
  vi.setSystemTime(Date.now() + 1000)
  ask('env_live', 'live', 100)
  expect(() => ask('env_live', 'live', 1)).toThrow(rejected)
})

test('delays a 429 for the twenty-first invalid API key of an address, and accepts a valid one', async () => {
  const service = await startTestService({ PI_TRUSTED_PROXIES: 'none' })
  fakeDate()
  const begin = performance.now()
  expect(await invalidKeys(service, 20)).toEqual(Array(20).fill(401))
  const slow = await create({ ...service, apiKey: 'wrong' })
  expect(performance.now() - begin).toBeGreaterThan(failureDelay - 5)
  expect(Number(slow.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await slow.json()).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining('unknown API key'),
  })
  expect((await create(service)).status).toBe(201)
})

test('counts invalid keys of each client behind a proxy', async () => {
  const service = await startTestService({ PI_TRUSTED_PROXIES: '127.0.0.0/8' })
  fakeDate()
  const from = (address: string) => ({ 'x-forwarded-for': `198.51.100.99, ${address}` })
  await invalidKeys(service, 20, from('203.0.113.1'))
  expect(await invalidKeys(service, 1, from('203.0.113.1'))).toEqual([429])
  expect(await invalidKeys(service, 1, from('203.0.113.2'))).toEqual([401])
})

test.each([
  ['allows any number of', {}],
  ['allows any number of', { PI_PUBLIC_URL: 'http://pay.localhost:4000' }],
  ['limits', { PI_HOST: '0.0.0.0' }],
  ['limits', { PI_RATE_LIMIT: '50' }],
  ['limits', { PI_PUBLIC_URL: 'https://pay.example.com' }],
  ['limits', { PI_TRUSTED_PROXIES: 'none' }],
] as const)('%s invalid keys with %j', (effect, env) => {
  const { failure } = createRateLimits(readConfig({}, env))
  expect(failure !== undefined).toBe(effect === 'limits')
})

test('limits live confirmations by intent, by known address, and by environment', () => {
  fakeDate()
  let ip = '203.0.113.1'
  let intents = 0
  const confirmations = (env: NodeJS.ProcessEnv) => {
    const { confirm } = createRateLimits(readConfig({}, env))
    return (count: number, sent: Partial<Environment & { intentId: string }> = {}): void => {
      const environment = { id: 'env_1', mode: 'live', ...sent } as const
      for (let times = 0; times < count; times++) {
        const intent = { id: sent.intentId ?? `pi_${intents++}` }
        confirm({ intent, environment }, { ip })
      }
    }
  }
  const confirm = confirmations({ PI_TRUSTED_PROXIES: 'none' })
  confirm(20, { intentId: 'pi_one' })
  expect(() => confirm(1, { intentId: 'pi_one' })).toThrow(rejected)
  confirm(5000, { mode: 'test' })
  // 980 more of the address, in two environments, and then buyers at other addresses.
  confirm(400)
  confirm(580, { id: 'env_2' })
  expect(() => confirm(1)).toThrow(rejected)
  ip = '203.0.113.2'
  confirm(580)
  expect(() => confirm(1)).toThrow(rejected)
  ip = '203.0.113.3'
  confirm(420, { id: 'env_2' })
  vi.setSystemTime(Date.now() + 1000)
  confirm(200)
  expect(() => confirm(1)).toThrow(rejected)

  const confirmFaster = confirmations({ PI_RATE_LIMIT: '500' })
  confirmFaster(5000)
  expect(() => confirmFaster(1)).toThrow(rejected)
})

/** @see Finding S8 */
test('forgets no client that is over its limit, however many others come', () => {
  const limit = createBuckets({ burst: 2, perSecond: 1 / 3600 }, () => new Date(now))
  limit.take('over')
  limit.take('over')
  for (let count = 0; count < 2 * maxBuckets; count++) {
    try {
      limit.take(`other-${count}`)
    } catch (error) {
      // Later clients share a limit.
      expect(error).toEqual(rejected)
    }
  }
  expect(() => limit.take('over')).toThrow(rejected)
  expect(() => limit.take('new')).toThrow(rejected)
  now += 2 * 3_600_000
  limit.take('over')
  limit.take('new')
})

function fakeDate(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  atEnd(() => vi.useRealTimers())
}

/** Sends creates with invalid keys, and returns their HTTP statuses. */
async function invalidKeys(
  service: TestService,
  count: number,
  headers: Record<string, string> = {},
): Promise<number[]> {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      create({ ...service, apiKey: `wrong-${index}` }, order, headers),
    ),
  )
  return responses.map(({ status }) => status)
}
