import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@pi-checkout/test-support/free-port'
import {
  demoShop,
  type EndedProgram,
  runProgram,
  type StartedProgram,
  startProgram,
} from '@pi-checkout/test-support/process'
import { startSite } from '@pi-checkout/test-support/sites'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../server/database.ts'
import { Buyer } from './buyer.ts'
import { type Service, startService } from './service.ts'
import { passDay } from './shop.ts'

let service: Service
let data: string
const shops: StartedProgram[] = []

beforeAll(async () => {
  service = await startService()
  data = await mkdtemp(join(tmpdir(), 'shop-main-'))
})
afterAll(async () => {
  for (const shop of shops) await shop.stop('SIGKILL')
  await service.close()
  await rm(data, { recursive: true, force: true })
})

test('keeps orders and sessions through a restart, and settles payments at its start', async () => {
  const first = await start()
  const { port } = new URL(first.shopUrl)
  const buyer = await new Buyer(first.shopUrl).visit()
  await buyer.put('thyme-tea', 3)
  const orderId = await buyer.placeOrder()
  const { id } = await buyer.handoff(orderId)
  expect(await first.stop()).toBe(0)

  service.settle(id, 'succeeded')
  const db = openDatabase(data)
  passDay(db)
  db.close()
  await start({ PORT: port })
  await expect.poll(async () => (await buyer.order(orderId)).state).toBe('paid')
})

test('keeps its database for its owner, also if it was not', async () => {
  const folder = join(data, 'modes')
  for (const file of ['.', 'tsiran.db']) {
    openDatabase(folder).close()
    await chmod(join(folder, file), 0o755)
    const db = openDatabase(folder)
    for (const name of ['.', ...(await readdir(folder))]) {
      expect([name, (await stat(join(folder, name))).mode & 0o077]).toEqual([name, 0])
    }
    db.close()
  }
})

test('keeps an order when the shop is killed', async () => {
  const first = await start()
  const { port } = new URL(first.shopUrl)
  const buyer = await new Buyer(first.shopUrl).visit()
  await buyer.put('thyme-tea', 1)
  const orderId = await buyer.placeOrder()
  await first.stop('SIGKILL')
  await start({ PORT: port })
  expect((await buyer.order(orderId)).state).toBe('open')
})

test('responds to a request that arrives while it checks the service', async () => {
  const slow = await startSite(async (req, res) => {
    await setTimeout(500)
    const { authorization = '' } = req.headers
    const response = await fetch(service.baseUrl + req.url, { headers: { authorization } })
    res.writeHead(response.status, {
      'content-type': 'application/json',
      'payment-intents-profile': 'pi-checkout',
    })
    res.end(await response.text())
  })
  const port = String(await freePort())
  const started = start({ PORT: port, PI_BASE_URL: slow.origin })
  const signal = AbortSignal.timeout(10_000)
  let response: Response | undefined
  while (!response) {
    response = await fetch(`http://127.0.0.1:${port}/`, { signal }).catch(() => undefined)
    signal.throwIfAborted()
    await setTimeout(5)
  }
  expect(response.status).toBe(200)
  await started
  await slow.close()
})

test.each(['PI_API_KEY', 'PI_BASE_URL'])('exits without %s, with the fix', async (name) => {
  const { code, output, errors } = await runShop({ [name]: '' })
  expect(code).toBe(1)
  expect(errors).toMatch(new RegExp(`^The shop could not start. ${name}: .*pi-service exec`))
  expect(output + errors).not.toContain(service.apiKey)
  expect(errors).not.toContain('    at ')
})

test('exits if the service cannot be reached', async () => {
  const { code, errors } = await runShop({ PI_BASE_URL: 'http://127.0.0.1:9' })
  expect([code, errors]).toEqual([1, expect.stringMatching(/^The shop could not start\. \w/)])
})

test('ends with the port and the fix if the port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const { code, errors } = await runShop({ PORT: port })
  other.close()
  expect(code).toBe(1)
  expect(errors).toContain(`Port ${port} is already in use`)
  expect(errors).toContain('PORT=3001 npm start')
})

interface Running extends Pick<StartedProgram, 'stop'> {
  readonly shopUrl: string
}

async function start(env: Record<string, string> = {}): Promise<Running> {
  const shop = await startProgram([demoShop, '--json'], { env: variables(env) })
  shops.push(shop)
  const { shopUrl } = JSON.parse(shop.line)
  return { shopUrl, stop: shop.stop }
}

async function runShop(env: Record<string, string>): Promise<EndedProgram> {
  return await runProgram([demoShop, '--json'], { env: variables(env) })
}

function variables(env: Record<string, string>): Record<string, string> {
  return {
    PORT: '0',
    PI_API_KEY: service.apiKey,
    PI_BASE_URL: service.baseUrl,
    PI_CHECKOUT_ORIGIN: 'http://127.0.0.1:4000',
    PI_SHOP_DATA: data,
    ...env,
  }
}
