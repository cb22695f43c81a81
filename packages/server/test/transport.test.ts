import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { PaymentIntents } from '../src/index.ts'
import { fakeService } from '../src/testing.ts'
import { apiKey, created, order, retrieved, scriptedService } from './scripted-service.ts'

const dispatcher = Symbol.for('undici.globalDispatcher.1')
let untouched: unknown

beforeAll(async () => {
  await fetch('data:,') // Node puts its own dispatcher there with the first fetch.
  untouched = Reflect.get(globalThis, dispatcher)
})

afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.set(globalThis, dispatcher, untouched)
})

test('a fetch that somebody has replaced is used', async () => {
  const service = fakeService()
  vi.stubGlobal('fetch', service.fetch)
  const { apiKey, baseUrl } = service.options
  await new PaymentIntents({ apiKey, baseUrl }).create(order)
  expect(service.requests).toHaveLength(1)
})

test('a dispatcher that somebody has put in place, as for a proxy, is used', async () => {
  const service = await scriptedService(created())
  const dispatched: unknown[] = []
  class ProxyAgent {
    dispatch(options: { readonly path: string }): boolean {
      dispatched.push(options.path)
      throw new Error('no proxy here')
    }
  }
  Reflect.set(globalThis, dispatcher, new ProxyAgent())
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, attempts: 1 })
  await expect(intents.create(order)).rejects.toMatchObject({ code: 'connection_lost' })
  expect(dispatched).toEqual(['/payment-intents'])
  expect(service.requests).toHaveLength(0)
})

test('both ways send the same request but for what each adds of its own', async () => {
  const service = await scriptedService(created())
  await new PaymentIntents({ apiKey, baseUrl: service.url }).create(order)
  await new PaymentIntents({ apiKey, baseUrl: service.url, fetch }).create(order)
  const [one, two] = service.requests.map(({ method, url, headers, body }) => {
    const { authorization, 'content-type': type, 'content-length': length } = headers
    return { method, url, authorization, type, length, key: headers['idempotency-key'], body }
  })
  expect(one).toEqual(two)
})

test('a base path stays in front, and clients of two services do not mix', async () => {
  const first = await scriptedService(retrieved())
  const second = await scriptedService(retrieved())
  const one = new PaymentIntents({ apiKey, baseUrl: `${first.url}/v1/` })
  const two = new PaymentIntents({ apiKey, baseUrl: second.url })
  await one.retrieve('pi_1')
  await two.retrieve('pi_2')
  await one.retrieve('pi_3')
  expect(first.requests.map(({ url }) => url)).toEqual([
    '/v1/payment-intents/pi_1',
    '/v1/payment-intents/pi_3',
  ])
  expect(second.requests.map(({ url }) => url)).toEqual(['/payment-intents/pi_2'])
})

test('one connection is kept for calls in a row, without a warning of piled up listeners', async () => {
  const warned = vi.fn()
  process.on('warning', warned)
  const sockets = new Set<unknown>()
  const service = await scriptedService((response, request) => {
    sockets.add(response.socket)
    return created()(response, request)
  })
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  for (let at = 1; at <= 30; at++) await intents.create({ ...order, amount: at })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', warned)
  expect(sockets.size).toBe(1)
  expect(warned).not.toHaveBeenCalled()
})
