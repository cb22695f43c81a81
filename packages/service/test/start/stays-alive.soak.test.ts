import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { openSocket, rawRequest } from '@pi-checkout/test-support/raw-http'
import { startService } from '@pi-checkout/test-support/stack'
import { expect, test } from 'vitest'
import { answer, enter, tokenIn } from '../support/checkout.ts'
import { atEnd, startPostgres, temporaryFolder } from '../support/lifetime.ts'
import { control, environmentId } from '../support/sandbox.ts'
import { create, created, type Merchant, order, statusOf } from '../support/service.ts'
import { type Program, residentMegabytes, watchHealth } from '../support/watch-program.ts'

interface Shop extends Merchant {
  readonly ready: Program['ready']
  /** A test environment with its own clock. */
  readonly environment: string
  /** The status that each acknowledged intent must have at the end. */
  readonly intents: Map<string, string>
}

/** The start with the demo merchant registers it. */
const origin = 'http://localhost:3000'
const hour = 3_600_000
const rounds = 3
/** The reaper and the checkpoints of the embedded store run in it. */
const roundTime = 12_000

test.each([
  ['a new data directory', async () => await startService(['--data', temporaryFolder()])],
  ['PostgreSQL', async () => await startService([], (await startPostgres()).env)],
])(
  'stays alive for an hour of mixed traffic on %s',
  async (_, start) => {
    const program = await start()
    // A process that stands still does not handle SIGTERM.
    atEnd(() => program.stop('SIGKILL'))
    const { baseUrl: url, apiKey } = program.ready
    const demo = { url, apiKey, ready: program.ready, intents: new Map<string, string>() }
    const shop: Shop = { ...demo, environment: await environmentId(demo) }
    const added = await control(demo, 'POST', '/environments', { origins: [origin] })
    const { id, apiKey: otherKey } = (await added.json()) as { id: string; apiKey: string }
    const laterShop: Shop = { ...demo, apiKey: otherKey, environment: id, intents: new Map() }

    const finished = new AbortController()
    const traffic = sendTraffic(program, shop, laterShop).finally(() => finished.abort())
    const [unread] = await Promise.all([traffic, watchHealth(program, finished.signal)])
    await expectStatuses(shop)
    await expectStatuses(laterShop)
    await expectEnd(program, shop)
    for (const socket of unread) socket.destroy()
  },
  180_000,
)

/** Returns the connections of clients that read nothing. */
async function sendTraffic(program: Program, shop: Shop, laterShop: Shop): Promise<Socket[]> {
  const unread: Socket[] = []
  let warm = 0
  // A store that was empty for a while keeps what it has planned for empty tables.
  await sleep(roundTime)
  for (let round = 0; round < rounds; round++) {
    await Promise.all([
      sleep(roundTime),
      inParallel(4, async () => await repeat(8, async () => await passChallenge(shop))),
      repeat(10, async () => await pay(shop, 'visa', 'succeeded')),
      repeat(6, async () => await pay(shop, 'declined', 'requires_payment_method')),
      repeat(6, async () => await pay(shop, 'stolen', 'failed')),
      repeat(3, async () => await payByRedirect(shop)),
      repeat(4, async () => await abandon(shop, 'requires_payment_method')),
      repeat(4, async () => await abandon(laterShop, 'expired')),
      repeat(20, async () => await retrieveNewest(shop)),
      repeat(20, async () => await inspect(shop)),
      repeat(10, async () => await sendWrongKey(shop)),
      inParallel(5, async () => await sendHalfBody(shop)),
      inParallel(3, async () => void unread.push(await readNothing(shop))),
      pipeline(shop),
    ])
    for (const [{ environment }, advance] of [
      [shop, hour / rounds],
      [laterShop, 24 * hour],
    ] as const) {
      const moved = await control(shop, 'PUT', `/environments/${environment}/clock`, { advance })
      expect(moved.status).toBe(200)
    }
    if (round === 1) warm = residentMegabytes(program)
  }
  const grown = residentMegabytes(program) - warm
  process.stdout.write(
    `  ${shop.intents.size + laterShop.intents.size} intents, ${grown} MB more\n`,
  )
  expect(grown, 'megabytes of memory after the warm-up').toBeLessThan(100)
  return unread
}

async function expectStatuses(shop: Shop): Promise<void> {
  const stored = new Map<string, unknown>()
  for (const id of shop.intents.keys()) stored.set(id, await statusOf(shop, id))
  expect(stored).toEqual(shop.intents)
}

/** SIGTERM ends it although clients wait, send half a body, and read nothing. */
async function expectEnd(program: Program, shop: Shop): Promise<void> {
  const page = await openPage(shop, 'requires_payment_method')
  const open = Promise.allSettled([page.waitForVersion(9), sendHalfBody(shop), readNothing(shop)])
  await sleep(500)
  expect(await Promise.race([program.stop(), sleep(10_000, 'runs after 10 s')])).toBe(0)
  await open
}

/** Creates an intent and opens its checkout. */
async function openPage(shop: Shop, status: string): Promise<HostedPage> {
  const intent = await created(shop, order, { 'idempotency-key': crypto.randomUUID() })
  shop.intents.set(intent.id, status)
  const page = new HostedPage(shop)
  await page.open(intent, origin)
  return page
}

async function passChallenge(shop: Shop): Promise<void> {
  const page = await openPage(shop, 'succeeded')
  await page.pay(testCards.challenge)
  const { version } = await page.view()
  const [shown] = await Promise.all([page.waitForVersion(version + 1), enterCodes(page)])
  expect(shown).toMatchObject({ status: 'succeeded' })
}

/** Enters a wrong code, then the right one. */
async function enterCodes(page: HostedPage): Promise<void> {
  const ticket = await page.openChallenge()
  const again = await answer(ticket, await enter(ticket), '1111')
  await answer(ticket, tokenIn(await again.text()), '1234')
}

async function pay(shop: Shop, card: TestCardName, status: string): Promise<void> {
  const page = await openPage(shop, status)
  expect(await (await page.pay(testCards[card])).json()).toMatchObject({ status })
}

async function payByRedirect(shop: Shop): Promise<void> {
  const page = await openPage(shop, 'succeeded')
  await page.pay(testCards.redirect)
  const ticket = await page.openChallenge({ returnUrl: `${origin}/orders/A-1001` })
  expect((await answer(ticket, await enter(ticket), '1234')).status).toBe(303)
}

/** Leaves in a challenge. */
async function abandon(shop: Shop, status: string): Promise<void> {
  const page = await openPage(shop, status)
  await page.pay(testCards.challenge)
  await enter(await page.openChallenge())
}

async function retrieveNewest(shop: Shop): Promise<void> {
  for (const id of [...shop.intents.keys()].slice(-10)) {
    expect(await statusOf(shop, id)).toEqual(expect.any(String))
  }
}

async function inspect(shop: Shop): Promise<void> {
  for (const list of ['', '/intents', '/requests', '/lint']) {
    const path = list && `/${shop.environment}${list}`
    const response = await control(shop, 'GET', `/environments${path}`)
    expect([list, response.status]).toEqual([list, 200])
    await response.text()
  }
  await sleep(300)
}

async function sendWrongKey({ url }: Shop): Promise<void> {
  expect((await create({ url, apiKey: 'wrong' })).status).toBe(401)
}

async function sendHalfBody(shop: Shop): Promise<void> {
  const half = rawCreate(shop).slice(0, -20)
  const response = await rawRequest(new URL(shop.url).port, half, { timeoutMs: 30_000 })
  expect(response).toMatch(/^HTTP\/1\.1 408 /)
}

/** Sends 20 creates on one connection before it reads a response. */
async function pipeline(shop: Shop): Promise<void> {
  const { port, host } = new URL(shop.url)
  const last = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const responses = await rawRequest(port, rawCreate(shop).repeat(20) + last)
  const ids = new Set(Array.from(responses.matchAll(/"id":"(pi_\w+)"/g), ([, id = '']) => id))
  expect(ids.size).toBe(20)
  for (const id of ids) shop.intents.set(id, 'requires_payment_method')
}

function rawCreate({ url, apiKey }: Shop): string {
  const { host } = new URL(url)
  const body = JSON.stringify(order)
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST /payment-intents HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\n${type}\r\n\r\n${body}`
}

/** Requests more than the buffers of a connection contain. */
async function readNothing({ url }: Shop): Promise<Socket> {
  const { port, host } = new URL(url)
  const socket = await openSocket(port)
  socket.pause().write(`GET /v1/pi-checkout.js HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(500))
  return socket
}

async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work))
}

async function repeat(count: number, work: () => Promise<void>): Promise<void> {
  for (let left = count; left > 0; left--) await work()
}
