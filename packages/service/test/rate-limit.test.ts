import { expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { buckets } from '../src/http/rate-limit.ts'
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
  expect(refused.length).toBeGreaterThan(0)
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(refused[0]?.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
  await service.stop()
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
