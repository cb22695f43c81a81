import { beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createBuckets, createRateLimits, maxBuckets } from '../../src/http/rate-limit.ts'
import type { Environment } from '../../src/merchants/environments.ts'
import { atEnd } from '../support/lifetime.ts'
import { create, order, startTestService } from '../support/service.ts'

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

test('limits live confirmations by intent and by environment', () => {
  fakeDate()
  let intents = 0
  const confirmations = (env: NodeJS.ProcessEnv) => {
    const { confirm } = createRateLimits(readConfig({}, env))
    return (count: number, sent: Partial<Environment & { intentId: string }> = {}): void => {
      const environment = { id: 'env_1', mode: 'live', ...sent } as const
      for (let times = 0; times < count; times++) {
        confirm({ intent: { id: sent.intentId ?? `pi_${intents++}` }, environment })
      }
    }
  }
  const confirm = confirmations({})
  confirm(20, { intentId: 'pi_one' })
  expect(() => confirm(1, { intentId: 'pi_one' })).toThrow(rejected)
  confirm(5000, { mode: 'test' })
  confirm(980)
  expect(() => confirm(1)).toThrow(rejected)
  confirm(1000, { id: 'env_2' })
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
