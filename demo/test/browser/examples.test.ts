import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  createHandoff,
  type HandoffHandler,
  type HandoffOrder,
  newOrderId,
  PaymentIntents,
} from '@pi-checkout/server'
import { isHandoffRoute, toNode } from '@pi-checkout/server/node'
import { runProgram } from '@pi-checkout/test-support/process'
import type { Page } from '@playwright/test'
import { expect, onTestFinished, test } from 'vitest'
import { scriptOf } from './example-pages.ts'
import {
  argumentsFor,
  checkoutOrigin,
  folder,
  read,
  register,
  sandbox,
  servers,
  startExample,
  variables,
} from './example-shops.ts'
import { openShop, payWith, stack, useBrowser } from './shop-page.ts'

useBrowser()

test('each file has at most forty lines', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.includes('node_modules') && /\.(?:m?jsx?|html|vue|svelte|astro)$/.test(name),
  )
  const lengths = files.map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length)
  expect(lengths).toHaveLength(39)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(41)
})

test.each(servers)(
  'the %s example creates one intent for its order and returns paid after the payment',
  async (name) => {
    const { shop } = await startExample(`${name}.mjs`)
    const page = await (await fetch(shop)).text()
    expect(page).toContain(`src="${checkoutOrigin}/v1/pi-checkout.js"`)
    await paysOnce(shop, fetch)
  },
)

test('no example starts without a key', async () => {
  const env = { ...variables, PI_API_KEY: undefined }
  const ends = servers.map((name) => runProgram(argumentsFor(`${name}.mjs`), { env }))
  for (const { code, errors } of await Promise.all(ends)) {
    expect([code, errors]).toEqual([1, expect.stringContaining('PI_API_KEY: environment variable')])
  }
})

test('the Next example creates one intent for its order and returns paid after the payment', async () => {
  const shop = 'http://localhost:3000'
  Object.assign(process.env, variables)
  const { GET, POST }: Record<'GET' | 'POST', HandoffHandler> = await import(
    join(folder, 'next/app/checkout/[action]/route.js')
  )
  await paysOnce(shop, (address, init) =>
    (init?.method === 'POST' ? POST : GET)(new Request(address, init)),
  )
})

test('the static page takes a payment after a canceled and a declined one, and a reload shows it', async () => {
  const { page } = await openShop()
  const { shop } = await startExample('express.mjs')
  await page.goto(shop)
  await cancelAndReload(page)
  await payWith(page, 'declined')
  await payWith(page, 'succeeded')
  await expect.poll(() => page.locator('output').textContent()).toBe('paid')
  await page.reload()
  expect(await page.locator('body').textContent()).toBe('Paid')
})

test.each([
  ['React', 'react/main.jsx'],
  ['Vue', 'vue/main.js'],
  ['Svelte', 'svelte/main.js'],
])('the %s example takes a payment after a canceled one', async (_, entry) => {
  const { page, errors } = await openShop()
  await page.goto(await startShop(await scriptOf(entry, checkoutOrigin)))
  await cancelAndReload(page)
  await payWith(page, 'succeeded')
  await expect.poll(() => page.locator('output').textContent()).toBe('paid')
  expect(await page.locator('iframe').count()).toBe(1)
  expect(errors).toEqual([])
})

type Ask = (address: string, init?: RequestInit) => Promise<Response>

async function paysOnce(shop: string, ask: Ask): Promise<void> {
  const headers = { origin: shop, 'content-type': 'application/json' }
  const handoff = () => ask(`${shop}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  const phase = async () => (await read(await ask(`${shop}/checkout/status`))).phase
  const pair = await read(await handoff())
  expect(pair).toEqual({ id: expect.any(String), clientSecret: expect.any(String) })
  expect(await read(await handoff())).toEqual(pair)
  expect(await phase()).toBe('open')
  await sandbox(`intents/${pair.id}/settle`, { outcome: 'succeeded' })
  expect(await phase()).toBe('paid')
  expect((await handoff()).status).toBe(409)
}

/** A canceled intent has failed. The next handoff is that of another intent. */
async function cancelAndReload(page: Page): Promise<void> {
  await payWith(page, 'canceled')
  await expect.poll(() => page.locator('output').textContent()).toBe('failed')
  await page.reload()
}

/** A shop whose one page is this script. @returns Its address. */
async function startShop(script: string): Promise<string> {
  let listener: RequestListener = () => {}
  const server = createServer((request, response) => listener(request, response))
  server.listen(0, 'localhost')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  await register(origin)
  const order: HandoffOrder = {
    ...{ orderId: newOrderId(), amount: 150000, currency: 'AMD', intentId: null },
  }
  const checkout = toNode(
    createHandoff({
      intents: new PaymentIntents({ apiKey: stack.apiKey, baseUrl: stack.baseUrl }),
      shopOrigin: origin,
      order: () => ({ ...order }),
      saveIntent: ({ intent }) => Object.assign(order, { intentId: intent.id }),
      settle: ({ phase, nextAttempt: attempt }) =>
        Object.assign(order, phase === 'paid' ? { paid: true } : { intentId: null, attempt }),
    }),
  )
  listener = (request, response) => {
    if (isHandoffRoute(request)) return void checkout(request, response)
    response.setHeader('content-type', request.url === '/' ? 'text/html' : 'text/javascript')
    response.end(request.url === '/' ? shell : script)
  }
  return origin
}

const shell = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title>
  <div id="app"></div><script type="module" src="/page.js"></script></html>`
