import { expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createBuckets, createRateLimits, maxBuckets } from '../../src/http/rate-limit.ts'
import type { Environment } from '../../src/merchants/environments.ts'
import { atEnd } from '../support/lifetime.ts'
import { order, startTestService } from '../support/service.ts'

const rejected = expect.objectContaining({ code: 'rate_limited' })

test('blocks no client after the clock is set back', () => {
  let now = 3_600_000
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
  const create = (_: unknown, at: number) =>
    service.create(order, { 'x-forwarded-for': `10.0.0.${at}` })
  const responses = await Promise.all(Array.from({ length: 30 }, create))
  const over = responses.find(({ status }) => status === 429)
  expect(Number(over?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  // The limit is checked before the body: a request over it gets no field errors.
  const broken = await Promise.all(Array.from({ length: 30 }, () => service.create('no json')))
  expect(broken.map(({ status }) => status)).toContain(429)
})

const environment = (id: string, mode: 'live' | 'test') => ({ id, mode }) as Environment

test('limits a live environment without a setting, and no test environment', () => {
  const { request } = createRateLimits(readConfig({}, {}))
  const ask = (mode: 'live' | 'test'): void => {
    for (let times = 0; times < 1000; times++) request(environment(mode, mode))
  }
  ask('test')
  expect(() => ask('live')).toThrow(rejected)
})

test('limits the live confirmations of an environment', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  atEnd(() => vi.useRealTimers())
  const { confirm } = createRateLimits(readConfig({}, {}))
  const confirmAll = (count: number, by: Environment): void => {
    for (let at = 0; at < count; at++) confirm({ intent: { id: `pi_${at}` }, environment: by })
  }
  const live = environment('env_1', 'live')
  confirmAll(5000, environment('env_1', 'test'))
  confirmAll(1000, live)
  expect(() => confirmAll(1, live)).toThrow(rejected)
  confirmAll(1000, environment('env_2', 'live'))
  vi.setSystemTime(Date.now() + 1000)
  confirmAll(200, live)
})

/** @see Finding S8 */
test('forgets no client that is over its limit, however many others come', () => {
  let now = 3_600_000
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
