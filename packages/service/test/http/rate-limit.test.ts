import type { IncomingMessage } from 'node:http'
import { expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import {
  createBuckets,
  createRateLimits,
  failureDelay,
  type RateLimits,
} from '../../src/http/rate-limit.ts'
import type { Environment } from '../../src/merchants/environments.ts'
import { create, order, startTestService, type TestService } from '../support/service.ts'

test('a bucket gives its burst at once and then its rate', () => {
  let now = 0
  const limit = createBuckets({ burst: 2, perSecond: 1 }, () => new Date(now))
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
  expect(() => limit.take('a')).toThrow()
})

test('blocks no client after the clock is set back', () => {
  let now = 3_600_000
  const limit = createBuckets({ burst: 2, perSecond: 1 }, () => new Date(now))
  limit.take('a')
  now = 0
  limit.take('a')
  expect(() => limit.take('a')).toThrow()
  now = 1000
  limit.take('a')
})

test('limits an environment regardless of its headers, with Retry-After (threat 32)', async () => {
  const service = await startTestService({ PI_RATE_LIMIT: '1' })
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      create(service, order, { 'x-forwarded-for': `10.0.0.${at}` }),
    ),
  )
  const refused = answers.filter(({ status }) => status === 429)
  // The limit is checked before the body: a request over it gets no field errors.
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
    const { request } = createRateLimits(readConfig({}, {}), () => undefined)
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
  } finally {
    vi.useRealTimers()
  }
})

test('answers 429 to the twenty-first wrong key of an address, a moment later', async () => {
  const service = await startTestService({ PI_TRUSTED_PROXIES: 'none' })
  const begin = performance.now()
  expect(await statusesOf(service, 20)).toEqual(Array(20).fill(401))
  const slow = await create({ ...service, apiKey: 'wrong' })
  expect(performance.now() - begin).toBeGreaterThan(failureDelay - 5)
  expect(Number(slow.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await slow.json()).toMatchObject({
    code: 'rate_limited',
    detail: expect.stringContaining('unknown API key'),
  })
  await service.stop()
})

for (const trusted of [undefined, 'none', '127.0.0.1']) {
  test(`serves valid keys beside 60 wrong ones with PI_TRUSTED_PROXIES=${trusted}`, async () => {
    const service = await startTestService({
      ...{ PI_RATE_LIMIT: '1000', PI_TRUSTED_PROXIES: trusted },
    })
    const [wrong, valid] = await Promise.all([
      statusesOf(service, 60),
      Promise.all(Array.from({ length: 20 }, async () => (await create(service)).status)),
    ])
    expect(wrong.filter((status) => status === 401)).toHaveLength(20)
    expect(wrong.filter((status) => status === 429)).toHaveLength(40)
    expect(valid).toEqual(Array(20).fill(201))
    // Not only a key that was looked up before.
    expect((await create(service)).status).toBe(201)
    await service.stop()
  })
}

test('counts the wrong keys of each client behind a trusted proxy apart (threat 32)', async () => {
  const service = await startTestService({ PI_TRUSTED_PROXIES: '127.0.0.0/8' })
  const from = (address: string) => ({ 'x-forwarded-for': `198.51.100.99, ${address}` })
  await statusesOf(service, 20, from('203.0.113.1'))
  expect(await statusesOf(service, 1, from('203.0.113.1'))).toEqual([429])
  expect(await statusesOf(service, 1, from('203.0.113.2'))).toEqual([401])
  await service.stop()
})

test('limits wrong keys wherever others than this machine can send them', () => {
  const isLimited = (env: NodeJS.ProcessEnv): boolean =>
    createRateLimits(readConfig({}, env), () => undefined).failure !== undefined
  expect(isLimited({})).toBe(false)
  expect(isLimited({ PI_PUBLIC_URL: 'http://pay.localhost:4000' })).toBe(false)
  for (const env of [
    { PI_HOST: '0.0.0.0' },
    { PI_RATE_LIMIT: '50' },
    { PI_PUBLIC_URL: 'https://pay.example.com' },
    { PI_TRUSTED_PROXIES: 'none' },
  ]) {
    expect(isLimited(env), JSON.stringify(env)).toBe(true)
  }
})

test('limits live confirmations by intent, by known address and by environment (threat 66)', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    let address: string | undefined = '203.0.113.1'
    const limitsOf = (env: NodeJS.ProcessEnv) =>
      createRateLimits(readConfig({}, env), () => address)
    let intents = 0
    const confirm = (
      limits: RateLimits,
      {
        count,
        intentId,
        env = 'env_1',
        mode = 'live' as Environment['mode'],
      }: {
        readonly count: number
        readonly intentId?: string
        readonly env?: string
        readonly mode?: Environment['mode']
      },
    ): void => {
      for (let at = 0; at < count; at++) {
        limits.confirm({
          intentId: intentId ?? `pi_${intents++}`,
          environment: { id: env, mode },
          request: {} as IncomingMessage,
        })
      }
    }
    const rejected = (code: () => void) =>
      expect(code).toThrow(expect.objectContaining({ code: 'rate_limited' }))

    const limits = limitsOf({})
    confirm(limits, { count: 20, intentId: 'pi_one' })
    rejected(() => confirm(limits, { count: 1, intentId: 'pi_one' }))
    confirm(limits, { count: 5000, mode: 'test' })
    // 980 more of the address, in two environments, and then buyers at other addresses.
    confirm(limits, { count: 400 })
    confirm(limits, { count: 580, env: 'env_2' })
    rejected(() => confirm(limits, { count: 1 }))
    address = '203.0.113.2'
    confirm(limits, { count: 1 })
    address = undefined
    confirm(limits, { count: 579 })
    rejected(() => confirm(limits, { count: 1 }))
    confirm(limits, { count: 420, env: 'env_2' })
    vi.setSystemTime(Date.now() + 1000)
    confirm(limits, { count: 200 })
    rejected(() => confirm(limits, { count: 1 }))

    const raised = limitsOf({ PI_RATE_LIMIT: '500' })
    confirm(raised, { count: 5000 })
    rejected(() => confirm(raised, { count: 1 }))
  } finally {
    vi.useRealTimers()
  }
})

test('rejects a rate that is not a whole number', () => {
  expect(readConfig({}, {}).rateLimit).toBeUndefined()
  expect(() => readConfig({}, { PI_RATE_LIMIT: '0' })).toThrow('PI_RATE_LIMIT: must be')
})

async function statusesOf(
  service: TestService,
  count: number,
  headers: Record<string, string> = {},
): Promise<number[]> {
  const keys = Array.from({ length: count }, (_, at) => `wrong-${at}`)
  const answers = await Promise.all(
    keys.map(async (apiKey) => await create({ ...service, apiKey }, order, headers)),
  )
  return answers.map(({ status }) => status)
}
