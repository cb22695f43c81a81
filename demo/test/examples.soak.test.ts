import { argumentsFor, startExample } from '@pi-checkout/test-support/example'
import { runProgram } from '@pi-checkout/test-support/process'
import { control } from '@pi-checkout/test-support/sandbox'
import { type ServiceReady, startService, variablesOf } from '@pi-checkout/test-support/stack'
import { beforeAll, expect, onTestFinished, test } from 'vitest'

/** The examples that send the static page. */
const servers = ['express', 'fastify', 'hono', 'koa', 'nest', 'node', 'quick-start']

let api: ServiceReady

beforeAll(async () => {
  const service = await startService(['--memory'])
  api = service.ready
  return service.stop
})

test.each(servers)(
  'the %s example creates one intent for its order and returns paid after the payment',
  async (name) => {
    const shop = await openExample(`${name}.mjs`)
    const { page, ask } = await buyerOf(shop)
    expect(page).toContain(`src="${api.checkoutOrigin}/v1/pi-checkout.js"`)
    await paysOnce(shop, ask)
  },
)

test('each buyer of an example pays for an own order', async () => {
  const shop = await openExample('express.mjs')
  const [first, second] = [await buyerOf(shop), await buyerOf(shop)]
  await paysOnce(shop, first.ask)
  await paysOnce(shop, second.ask)
})

test('no example starts without a key', async () => {
  const env = { ...variablesOf(api), PI_API_KEY: undefined }
  const ends = servers.map((name) => runProgram(argumentsFor(`${name}.mjs`), { env }))
  for (const { code, errors } of await Promise.all(ends)) {
    expect([code, errors]).toEqual([1, expect.stringContaining('PI_API_KEY: environment variable')])
  }
})

/** Starts an example until the end of the test. Returns its origin. */
async function openExample(name: string): Promise<string> {
  const { shop, stop } = await startExample(api, name)
  onTestFinished(() => void stop())
  return shop
}

type Ask = (address: string, init?: RequestInit) => Promise<Response>

/** Opens the page of a shop. @returns It, and `fetch` with the session that the page set. */
async function buyerOf(shop: string): Promise<{ readonly page: string; readonly ask: Ask }> {
  const response = await fetch(shop)
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  const ask: Ask = (address, init) =>
    fetch(address, { ...init, headers: { ...init?.headers, cookie } })
  return { page: await response.text(), ask }
}

async function paysOnce(shop: string, ask: Ask): Promise<void> {
  const headers = { origin: shop, 'content-type': 'application/json' }
  const handoff = () => ask(`${shop}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  const read = async (response: Response) => (await response.json()) as Record<string, string>
  const phase = async () => (await read(await ask(`${shop}/checkout/status`))).phase
  const pair = await read(await handoff())
  const orderId = expect.any(String)
  expect(pair).toEqual({ id: expect.any(String), clientSecret: expect.any(String), orderId })
  expect(await read(await handoff())).toEqual(pair)
  expect(await phase()).toBe('open')
  await control({ api }, `/intents/${pair.id}/settle`, { outcome: 'succeeded' })
  expect(await phase()).toBe('paid')
  expect((await handoff()).status).toBe(409)
}
