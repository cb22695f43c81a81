import { freePort } from '@pi-checkout/test-support/free-port'
import { expect, test, vi } from 'vitest'
import { type Service, startService } from '../../src/index.ts'
import { atEnd } from '../support/lifetime.ts'
import { Merchant } from '../support/service.ts'

async function start(options?: Parameters<typeof startService>[0]): Promise<Service> {
  const service = await startService(options)
  atEnd(() => service[Symbol.asyncDispose]())
  return service
}

const create = async ({ baseUrl: url, apiKey }: Pick<Service, 'baseUrl' | 'apiKey'>) =>
  await new Merchant({ url, apiKey }).create()

test('starts two services with separate ports, keys, and intents', async () => {
  const [one, two] = await Promise.all([start(), start()])
  expect((await create(one)).status).toBe(201)
  expect((await create(two)).status).toBe(201)
  expect((await create({ baseUrl: one.baseUrl, apiKey: two.apiKey })).status).toBe(401)
  expect(one.checkoutOrigin).toBe(one.baseUrl)
  expect(one.inspectorUrl).toBe(`${one.baseUrl}/_sandbox/#${one.adminToken}`)
})

test('registers the given shop origins', async () => {
  const ready = await start({ shopOrigins: ['https://shop.example'] })
  const headers = { authorization: `Bearer ${ready.adminToken}` }
  const response = await fetch(`${ready.baseUrl}/_sandbox/environments`, { headers })
  const environments = [{ origins: ['http://localhost:3000', 'https://shop.example'] }]
  expect(await response.json()).toMatchObject({ environments })
})

test('ignores environment variables', async () => {
  for (const name of ['DATABASE_URL', 'PORT', 'SECRET_KEYS', 'PUBLIC_URL', 'LOG_LEVEL']) {
    vi.stubEnv(`PI_${name}`, 'invalid')
  }
  atEnd(() => vi.unstubAllEnvs())
  expect((await create(await start())).status).toBe(201)
})

const rule = 'must be an origin such as https://pay.example.com'

test.each([
  [{ port: -1 }, 'port: must be an integer from 0 to 65534'],
  [{ shopOrigins: ['https://shop.example/cart'] }, `shopOrigins: ${rule}`],
  [{ shopOrigins: 'https://shop.example' }, 'shopOrigins: must be an array of origins'],
] as const)('rejects %j and names the option', async (options, message) => {
  const started = start(options as Parameters<typeof startService>[0])
  await expect(started).rejects.toThrow(TypeError)
  await expect(started).rejects.toThrow(new RegExp(`^${message}`))
})

test('rejects a port that is in use, also by the test bank', async () => {
  const first = await freePort(3)
  const used = first + 1
  await start({ port: used })
  const fix = 'Stop the other program, or set port (0 selects a free port).'
  const rule = `Port ${used} on 127.0.0.1 is already in use. ${fix}`
  await expect(start({ port: used })).rejects.toThrow(rule)
  const ofBank = `${rule} The test bank uses the next port.`
  await expect(start({ port: first })).rejects.toThrow(ofBank)
})
