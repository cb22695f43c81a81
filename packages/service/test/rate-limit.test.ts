import { expect, test, vi } from 'vitest'
import { readConfig } from '../src/config.ts'
import { buckets, rateLimits } from '../src/http/rate-limit.ts'
import type { Environment } from '../src/merchants/environments.ts'
import { create, order, startTestService } from './support/service.ts'

test('a bucket gives its burst at once and then its rate', () => {
  let now = 0
  const limit = buckets({ burst: 2, perSecond: 1 }, () => now)
  limit.take('a')
  limit.take('a')
  expect(() => limit.take('a')).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      headers: expect.objectContaining({ 'retry-after': '1' }),
    }),
  )
  limit.take('b')
  now = 1000
  limit.take('a')
  expect(() => limit.check('a')).toThrow()
})

test('a clock that is set back locks nobody out', () => {
  let now = 3_600_000
  const limit = buckets({ burst: 2, perSecond: 1 }, () => now)
  limit.take('a')
  now = 0
  limit.take('a')
  expect(() => limit.take('a')).toThrow()
  now = 1000
  limit.take('a')
})

test('an environment that sends too much is told when to come again, whatever headers it adds', async () => {
  const service = await startTestService({ PI_RATE_LIMIT: '1' })
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      create(service, order, { 'x-forwarded-for': `10.0.0.${at}` }),
    ),
  )
  const refused = answers.filter(({ status }) => status === 429)
  // The limit comes before the body: whoever is over it is not told of its faults.
  const broken = await Promise.all(Array.from({ length: 30 }, () => create(service, 'no json')))
  expect(broken.map(({ status }) => status)).toContain(429)
  expect(refused.length).toBeGreaterThan(0)
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(refused[0]?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
  await service.stop()
})

test('a live environment sends two hundred at once and a hundred each second; a test environment any number', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const { request, failures } = rateLimits({ rateLimit: undefined, host: '127.0.0.1' })
    const ask = (id: string, mode: 'live' | 'test') => request({ id, mode } as Environment)
    for (let count = 0; count < 1000; count++) ask('env_test', 'test')
    for (let count = 0; count < 200; count++) ask('env_live', 'live')
    const limit = { 'retry-after': '1', 'ratelimit-policy': '"default";q=200;w=2' }
    const refused = { code: 'rate_limited', headers: expect.objectContaining(limit) }
    expect(() => ask('env_live', 'live')).toThrow(expect.objectContaining(refused))
    ask('env_other', 'live')
    vi.setSystemTime(Date.now() + 1000)
    for (let count = 0; count < 100; count++) ask('env_live', 'live')
    expect(() => ask('env_live', 'live')).toThrow(expect.objectContaining(refused))
    expect(failures).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})

test('an address that guesses keys is stopped after twenty, and the sandbox is not limited by default', async () => {
  const guarded = await startTestService({ PI_RATE_LIMIT: '1000' })
  const statuses: number[] = []
  for (let guess = 0; guess < 22; guess++) {
    statuses.push((await create({ ...guarded, apiKey: `wrong-${guess}` })).status)
  }
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
  expect(statuses.slice(20)).toEqual([429, 429])
  await guarded.stop()
  expect(readConfig({}, {}).rateLimit).toBeUndefined()
  expect(() => readConfig({}, { PI_RATE_LIMIT: '0' })).toThrow('PI_RATE_LIMIT: must be')
})
