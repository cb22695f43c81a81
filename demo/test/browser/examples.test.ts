import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createHandoff,
  type HandoffHandler,
  type HandoffOrder,
  newOrderId,
  PaymentIntents,
} from '@pi-checkout/server'
import { isHandoffRoute, toNode } from '@pi-checkout/server/node'
import { freePort } from '@pi-checkout/test-support/free-port'
import { leaveAtAnyByte } from '@pi-checkout/test-support/leaving-client'
import { type StartedProgram, startProgram } from '@pi-checkout/test-support/process'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scriptOf } from './example-pages.ts'
import { openBrowser, payWith, stack } from './shop-page.ts'

const folder = fileURLToPath(new URL('../../examples/', import.meta.url))
const { origin: checkoutOrigin } = new URL(stack.baseUrl)
const variables = {
  PI_API_KEY: stack.apiKey,
  PI_BASE_URL: stack.baseUrl,
  PI_CHECKOUT_ORIGIN: checkoutOrigin,
  PI_HANDOFF_KEYS: `k1:${Buffer.alloc(32, 'key of the examples').toString('base64url')}`,
}
const closing: (() => unknown)[] = []
const running = new Map<string, StartedProgram>()
const shared = new Map<string, string>()
let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})

afterAll(async () => {
  await browser.close()
  for (const close of closing) await close()
})

test('each file has at most forty lines', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('node_modules') && /\.(?:m?jsx?|html|vue|svelte)$/.test(name),
  )
  const lengths = files.map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length)
  expect(lengths).toHaveLength(13)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(41)
})

test.each(['express', 'fastify', 'hono', 'node'])(
  'the %s example survives clients that disconnect at any byte',
  async (name) => {
    const shop = await sharedExample(name)
    const { port } = new URL(shop)
    const headers = { origin: shop, 'content-type': 'application/json' }
    const head = [`Host: localhost:${port}`, `Origin: ${shop}`, 'Connection: close']
    const heads = [
      ['POST /checkout/handoff HTTP/1.1', ...head, 'Content-Type: application/json'],
      ['GET /checkout/status HTTP/1.1', ...head],
    ].map((lines) => lines.join('\r\n'))
    const [post, get] = heads
    // The first handoff loads jose.
    await fetch(`${shop}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
    const end = await leaveAtAnyByte({
      host: 'localhost',
      port: Number(port),
      requests: [`${post}\r\nContent-Length: 2\r\n\r\n{}`, `${get}\r\n\r\n`],
      serves: async () => {
        const signal = AbortSignal.timeout(30_000)
        const init = { method: 'POST', headers, body: '{}', signal }
        const answer = await fetch(`${shop}/checkout/handoff`, init)
        expect([answer.status, Object.keys(await read(answer))]).toEqual([
          200,
          ['id', 'clientSecret'],
        ])
      },
    }).catch(String)
    const { child, log } = running.get(shop) ?? {}
    expect([end, child?.exitCode, log?.slice(1)]).toEqual([undefined, null, []])
  },
)

test.each(['express', 'fastify', 'hono', 'node'])(
  'the %s example creates one intent for its order and returns paid after the payment',
  async (name) => {
    const shop = await sharedExample(name)
    const page = await (await fetch(shop)).text()
    expect(page).toContain(`src="${checkoutOrigin}/v1/pi-checkout.js"`)
    await paysOnce(shop, fetch)
  },
)

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

test('the static page shows a decline, a payment with another card, and the result after a reload', async () => {
  const page = await browser.newPage({ locale: 'en' })
  await page.goto(await startExample('express.mjs'))
  await payWith(page, 'declined')
  await payWith(page, 'succeeded')
  await expect.poll(() => page.locator('output').textContent()).toBe('paid')
  await page.reload()
  expect(await page.locator('body').textContent()).toBe('Paid')
  await page.close()
})

test.each([
  ['React', 'react/main.jsx'],
  ['Vue', 'vue/main.js'],
  ['Svelte', 'svelte/main.js'],
])('the %s example shows the checkout and the paid order', async (_, entry) => {
  const page = await browser.newPage({ locale: 'en' })
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (line) => {
    if (line.type() !== 'info') errors.push(line.text())
  })
  await page.goto(await startShop(await scriptOf(entry, checkoutOrigin)))
  await payWith(page, 'succeeded')
  await expect.poll(() => page.locator('output').textContent()).toBe('paid')
  expect(await page.locator('iframe').count()).toBe(1)
  expect(errors).toEqual([])
  await page.close()
})

type Ask = (address: string, init?: RequestInit) => Promise<Response>

/** Fields that these tests read. */
interface Answer {
  readonly id: string
  readonly clientSecret: string
  readonly phase: string
  readonly environments: readonly { readonly id: string }[]
}

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

/** Starts an example on a free port, registered at the service. @returns Its address. */
async function startExample(name: string): Promise<string> {
  const port = await freePort()
  await register(`http://localhost:${port}`)
  const started = await startProgram(
    ['--import', 'tsx', '--conditions=source', join(folder, name)],
    { env: { ...variables, PORT: String(port) } },
  )
  closing.push(started.stop)
  running.set(started.line, started)
  return started.line
}

/** Starts an example for the tests of its order, in turn. */
async function sharedExample(name: string): Promise<string> {
  const shop = shared.get(name) ?? (await startExample(`${name}.mjs`))
  shared.set(name, shop)
  return shop
}

/** A shop whose one page is this script. @returns Its address. */
async function startShop(script: string): Promise<string> {
  let listener: RequestListener = () => {}
  const server = createServer((request, response) => listener(request, response))
  server.listen(0, 'localhost')
  closing.push(() => server.close())
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
      order: () => order,
      saveIntent: ({ intent }) => Object.assign(order, { intentId: intent.id }),
      settle: () => {},
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

async function register(origin: string): Promise<void> {
  const { environments } = await sandbox('environments')
  await sandbox(`environments/${environments[0]?.id}/origins`, { origin })
}

async function sandbox(path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${stack.baseUrl}/_sandbox/${path}`, {
    headers: {
      authorization: `Bearer ${stack.adminToken}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return read(answer)
}

async function read(answer: Response): Promise<Answer> {
  return (await answer.json()) as Answer // The tests expect what they need of it.
}
