import { expect, test } from 'vitest'
import { type Service, startService } from '../../src/index.ts'
import { atEnd } from '../support/lifetime.ts'
import { control } from '../support/sandbox.ts'
import { create as sendCreate } from '../support/service.ts'

async function start(options?: Parameters<typeof startService>[0]): Promise<Service> {
  const service = await startService(options)
  atEnd(() => service[Symbol.asyncDispose]())
  return service
}

const create = async ({ baseUrl: url, apiKey }: Pick<Service, 'baseUrl' | 'apiKey'>) =>
  await sendCreate({ url, apiKey })

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
  const response = await control({ url: ready.baseUrl, ready }, 'GET', '/environments')
  expect(await response.json()).toMatchObject({
    environments: [{ origins: ['http://localhost:3000', 'https://shop.example'] }],
  })
})

test('ignores environment variables', async () => {
  process.env.PI_DATABASE_URL = 'postgres://localhost:1/none'
  atEnd(() => delete process.env.PI_DATABASE_URL)
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
