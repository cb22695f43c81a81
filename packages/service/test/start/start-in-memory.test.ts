import { expect, onTestFinished, test } from 'vitest'
import { type Service, startService } from '../../src/index.ts'

async function start(options?: Parameters<typeof startService>[0]): Promise<Service> {
  const service = await startService(options)
  onTestFinished(() => service[Symbol.asyncDispose]())
  return service
}

const create = ({ baseUrl, apiKey }: Pick<Service, 'baseUrl' | 'apiKey'>): Promise<Response> =>
  fetch(`${baseUrl}/payment-intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 100, currency: 'USD', orderId: 'A-1' }),
  })

test('starts two services with separate ports, keys, and intents', async () => {
  const [one, two] = await Promise.all([start(), start()])
  expect((await create(one)).status).toBe(201)
  expect((await create(two)).status).toBe(201)
  expect((await create({ baseUrl: one.baseUrl, apiKey: two.apiKey })).status).toBe(401)
  expect(one.checkoutOrigin).toBe(one.baseUrl)
  expect(one.inspectorUrl).toBe(`${one.baseUrl}/_sandbox/#${one.adminToken}`)
})

test('registers the given shop origins', async () => {
  const { baseUrl, adminToken } = await start({ shopOrigins: ['https://shop.example'] })
  const headers = { authorization: `Bearer ${adminToken}` }
  const response = await fetch(`${baseUrl}/_sandbox/environments`, { headers })
  expect(await response.json()).toMatchObject({
    environments: [{ origins: ['http://localhost:3000', 'https://shop.example'] }],
  })
})

test('ignores environment variables', async () => {
  process.env.PI_DATABASE_URL = 'postgres://localhost:1/none'
  onTestFinished(() => {
    delete process.env.PI_DATABASE_URL
  })
  expect((await create(await start())).status).toBe(201)
})

test('stops', async () => {
  const service = await start()
  await service.stop()
  await expect(create(service)).rejects.toThrow('fetch failed')
})

test('rejects an invalid origin and a port in use', async () => {
  await expect(start({ shopOrigins: ['https://shop.example/cart'] })).rejects.toThrow(TypeError)
  const { baseUrl } = await start()
  const port = Number(new URL(baseUrl).port)
  await expect(start({ port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use`)
})
