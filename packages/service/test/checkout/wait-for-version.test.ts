import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Database, SqlValue } from '../../src/db/database.ts'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { migrate } from '../../src/db/migrate.ts'
import { waitsOfHolder } from '../../src/notifier/notifier.ts'
import {
  addMerchants,
  PageClient,
  type Pair,
  type RunningCheckout,
  startCheckout,
} from '../support/checkout.ts'
import { openChanges } from '../support/sandbox.ts'
import { create, startTestService } from '../support/service.ts'

/** Waits that have begun, in every service of this file. */
const waits = vi.hoisted(() => ({ begun: 0 }))
vi.mock('../../src/notifier/notifier.ts', async (load) => {
  const original = await load<typeof import('../../src/notifier/notifier.ts')>()
  const createNotifier: typeof original.createNotifier = (context, stopping) => {
    const notifier = original.createNotifier(context, stopping)
    return {
      waitFor: async (...wait) => {
        waits.begun++
        return await notifier.waitFor(...wait)
      },
    }
  }
  return { ...original, createNotifier }
})

const shop = 'http://shop.example.localhost:3000'
let checkout: RunningCheckout
/** For what a test does to the clock or to the store. */
let other: RunningCheckout
/** Statements, and how many intents each look for all waiting requests has read. */
let statements = 0
const looks: number[] = []
/** While it is set, such a look does not end. */
let isBlocked = false
const warnings: Error[] = []

function keepWarning(warning: Error): void {
  warnings.push(warning)
}

beforeAll(async () => {
  const db = await openPglite(undefined)
  await migrate(db)
  await addMerchants(db)
  const counted: Database = {
    ...db,
    query: async <Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]) => {
      statements++
      if (text.join('').includes('as due')) {
        looks.push((values[0] as readonly string[]).length)
        if (isBlocked) await new Promise(() => {})
      }
      return await db.query<Row>(text, ...values)
    },
  }
  checkout = await startCheckout({ db: counted })
  await checkout.registerOrigin(shop)
  other = await startCheckout()
  await other.registerOrigin(shop)
  await other.registerOrigin(shop, 'env_other')
})
afterAll(async () => await Promise.all([checkout.close(), other.close()]))

beforeEach(() => {
  waits.begun = 0
  warnings.length = 0
  process.on('warning', keepWarning)
})
afterEach(() => {
  process.off('warning', keepWarning)
  expect(warnings).toEqual([])
})

async function opened(at: RunningCheckout = checkout): Promise<PageClient> {
  const client = new PageClient(at)
  await client.open(await at.createIntent(), shop)
  return client
}

/** A long poll ends by itself after 25 s: a response by then says nothing. */
function wellBeforeTimeIsUp(): AbortSignal {
  return AbortSignal.timeout(12_000)
}

/** Returns once so many requests wait, so that a test looks at nothing else. */
async function begun(count: number): Promise<void> {
  await expect.poll(() => waits.begun, { timeout: 12_000 }).toBeGreaterThanOrEqual(count)
}

test('forty waiting requests share one statement each 300 ms', async () => {
  const clients = await Promise.all(Array.from({ length: 40 }, async () => await opened()))
  const waiting = clients.map(
    async (client) => await client.view('?waitForVersion=2', AbortSignal.timeout(20_000)),
  )
  await begun(40)
  await expect.poll(() => looks.at(-1), { timeout: 12_000 }).toBe(40)
  const begin = { statements, looks: looks.length, at: performance.now() }
  await expect.poll(() => looks.length, { timeout: 12_000 }).toBeGreaterThanOrEqual(begin.looks + 6)
  expect(statements - begin.statements).toBe(looks.length - begin.looks)
  expect(performance.now() - begin.at).toBeGreaterThan(6 * 250)
  await Promise.all(clients.map(async (client) => await client.post('cancel', {})))
  const views = await Promise.all(waiting)
  expect(new Set(views.map(({ status }) => status))).toEqual(new Set(['canceled']))
})

test('wakes at once for a change of this instance, without a look at the store', async () => {
  const client = await opened()
  const waiting = client.view('?waitForVersion=2', wellBeforeTimeIsUp())
  await begun(1)
  isBlocked = true
  await client.pay('4242424242424242')
  expect((await waiting).status).toBe('succeeded')
  isBlocked = false
})

test('wakes at a deadline that time brings', async () => {
  const client = await opened(other)
  await client.pay('4000000000000341')
  const waiting = client.view('?waitForVersion=3', wellBeforeTimeIsUp())
  await begun(1)
  other.advance(5100)
  expect((await waiting).status).toBe('succeeded')
})

test('wakes at a deadline that the clock of its environment brings', async () => {
  const own = await opened(other)
  const foreign = new PageClient(other)
  await foreign.open(await other.createIntent({ environmentId: 'env_other' }), shop)
  const expired = own.view('?waitForVersion=2', wellBeforeTimeIsUp())
  const untouched = foreign.view('?waitForVersion=2', wellBeforeTimeIsUp())
  await begun(2)
  const day = 24 * 3600 * 1000
  await other.db.query`update environments set clock_offset = ${day} where id = 'env_test'`
  expect((await expired).status).toBe('expired')
  await other.db.query`update environments set clock_offset = 0`
  await foreign.post('cancel', {})
  // Its own clock stands still, so it waited for the buyer.
  expect((await untouched).status).toBe('canceled')
})

test('rejects a waiting request whose intent a reset has deleted', async () => {
  const client = await opened(other)
  const waiting = client.view('?waitForVersion=2', wellBeforeTimeIsUp())
  await begun(1)
  await other.db.query`delete from payment_intents`
  expect(await waiting).toMatchObject({ status: 401, code: 'invalid_session' })
})

test('rejects a waiting request whose session was revoked during the wait', async () => {
  const revoked = await opened(other)
  const waiting = revoked.view('?waitForVersion=2', wellBeforeTimeIsUp())
  await begun(1)
  const { id } = await revoked.view()
  await other.db.query`update payment_intents set secret_salt = null where id = ${id}`
  expect(await waiting).toMatchObject({ status: 401, code: 'invalid_session' })

  const [removed, changing] = [await opened(other), await opened(other)]
  const alsoWaiting = removed.view('?waitForVersion=2', wellBeforeTimeIsUp())
  await begun(2)
  await other.db.query`update environments set allowed_origins = '{}' where id = 'env_test'`
  const before = await removed.view()
  expect(before).toMatchObject({ status: 401, code: 'invalid_session' })
  await other.db.query`update payment_intents set version = 2`
  expect(await alsoWaiting).toMatchObject({ status: 401, code: 'invalid_session' })
  await other.registerOrigin(shop)
  expect(await changing.view()).toMatchObject({ version: 2 })
})

test('ends the oldest waiting request of a session that waits too often', async () => {
  const [client, neighbour] = [await opened(), await opened()]
  let isOver = false
  const beside = neighbour.view('?waitForVersion=2', wellBeforeTimeIsUp()).finally(() => {
    isOver = true
  })
  const waiting = []
  for (let count = 0; count <= waitsOfHolder; count++) {
    waiting.push(client.view('?waitForVersion=2', wellBeforeTimeIsUp()))
    await begun(2 + count)
  }
  const [oldest, ...others] = waiting
  expect(await oldest).toMatchObject({ version: 1 })
  expect(isOver).toBe(false)
  await Promise.all([client.post('cancel', {}), neighbour.post('cancel', {})])
  for (const view of await Promise.all([...others, beside])) expect(view.status).toBe('canceled')
})

test('waits through an outage of the store, and logs it once', async () => {
  const client = await opened(other)
  const waiting = client.view('?waitForVersion=2', wellBeforeTimeIsUp())
  await begun(1)
  const before = other.logged.length
  await other.db.query`alter table environments rename to away`
  // Three looks, or four.
  await sleep(1000)
  await other.db.query`alter table away rename to environments`
  const lines = other.logged.slice(before)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('Cannot check waiting requests')
  expect(lines[0]).toContain('"code":"42P01"')
  await client.post('cancel', {})
  expect((await waiting).status).toBe('canceled')
})

test('responds at once to a long poll that comes after the stop began', async () => {
  const client = await opened(other)
  other.stop()
  const response = await fetch(`${other.nodeUrl}/checkout-api/intent?waitForVersion=2`, {
    headers: { authorization: `Bearer ${client.token}` },
    signal: wellBeforeTimeIsUp(),
  })
  expect(response.headers.get('connection')).toBe('close')
  expect(await response.json()).toMatchObject({ version: 1 })
})

test('a stop cuts no waiting buyer off, and does not wait for them', async () => {
  const service = await startTestService()
  const buyers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const client = new PageClient({ url: service.url, nodeUrl: service.url })
      const { id, clientSecret } = (await (await create(service)).json()) as Pair
      await client.open({ id, clientSecret }, 'http://localhost:3000')
      return { client, agent: new Agent({ keepAlive: true, maxSockets: 1 }) }
    }),
  )
  const failures: string[] = []
  let responses = 0
  // As a hosted page does: the next request follows each response, on the same connection.
  const waits = buyers.map(async ({ client, agent }) => {
    for (;;) {
      const asked = get(`${service.url}/checkout-api/intent?waitForVersion=2`, {
        agent,
        headers: { authorization: `Bearer ${client.token}` },
      })
      try {
        const [response] = (await once(asked, 'response')) as [IncomingMessage]
        expect(response.statusCode).toBe(200)
        response.resume()
        await once(response, 'end')
        responses++
      } catch (error) {
        failures.push(String((error as { code?: string }).code))
        return
      }
    }
  })
  await begun(30)
  expect(responses).toBe(0)
  const begin = performance.now()
  await service.stop()
  expect(performance.now() - begin).toBeLessThan(10_000)
  await Promise.all(waits)
  expect(responses).toBeGreaterThanOrEqual(30)
  expect(new Set(failures)).toEqual(new Set(['ECONNREFUSED']))
})

test('twenty open inspectors and their stop cause no warning', async () => {
  const service = await startTestService()
  const streams = await Promise.all(
    Array.from({ length: 20 }, async () => await openChanges(service)),
  )
  await Promise.all(streams.map(async (stream) => await stream.read()))
  await service.stop()
  expect(warnings).toEqual([])
})
