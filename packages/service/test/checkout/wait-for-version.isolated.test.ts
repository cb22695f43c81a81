import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { revokeSecret } from '../../src/intents/intents.ts'
import { setClock } from '../../src/sandbox/environment-clock.ts'
import { resetEnvironments } from '../../src/sandbox/reset.ts'
import { PageClient, type RunningCheckout, shop, startCheckout } from '../support/checkout.ts'
import { openChanges } from '../support/sandbox.ts'
import { created, startTestService } from '../support/service.ts'
import { observed, openTestStore } from '../support/store.ts'

/** Waits that have begun, in every service of this file. */
const waits = vi.hoisted(() => ({ begun: 0 }))
vi.mock('../../src/notifier/notifier.ts', async (load) => {
  const original = await load<typeof import('../../src/notifier/notifier.ts')>()
  const createNotifier: typeof original.createNotifier = (context, stopping) => {
    const notifier = original.createNotifier(context, stopping)
    return {
      begin: (...wait) => {
        const waiting = notifier.begin(...wait)
        const next: typeof waiting.next = async (...until) => {
          waits.begun++
          return await waiting.next(...until)
        }
        return { ...waiting, next }
      },
    }
  }
  return { ...original, createNotifier }
})

/** Statements, and how many intents each read for all waiting requests has covered. */
let statements = 0
const reads: number[] = []
/** While it is set, such a read does not end. */
let isBlocked = false
const counted = observed(await openTestStore(), async (text, values) => {
  statements++
  if (!text.includes('as due')) return
  reads.push((values[0] as readonly string[]).length)
  if (isBlocked) await new Promise(() => {})
})

const checkout = await startCheckout({ db: counted })
await checkout.registerOrigin(shop)
/** For tests that change the clock or the store. */
const other = await startCheckout()
await other.registerOrigin(shop)
await other.registerOrigin(shop, 'env_other')

const warnings: Error[] = []
const keepWarning = (warning: Error): void => void warnings.push(warning)

beforeEach(() => {
  waits.begun = 0
  warnings.length = 0
  process.on('warning', keepWarning)
})
afterEach(() => {
  process.off('warning', keepWarning)
  expect(warnings).toEqual([])
})

async function opened(at: RunningCheckout = checkout, environmentId = 'env_test') {
  const client = new PageClient(at)
  await client.open(await at.createIntent({ environmentId }))
  return client
}

/** Returns once this many requests wait. */
async function begun(count: number): Promise<void> {
  await expect.poll(() => waits.begun, { timeout: 12_000 }).toBeGreaterThanOrEqual(count)
}

test('sends no statement while forty requests wait, and one if anything may have changed', async () => {
  const clients = await Promise.all(Array.from({ length: 40 }, async () => await opened()))
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  const waiting = clients.map((client) => client.waitForVersion())
  await vi.waitFor(() => expect(waits.begun).toBe(40), { timeout: 12_000 })
  const before = statements
  await vi.advanceTimersByTimeAsync(19_000)
  vi.useRealTimers()
  expect(statements).toBe(before)
  counted.notify('unknown')
  await expect.poll(() => reads).toEqual([40])
  expect(statements).toBe(before + 1)
  await Promise.all(clients.map((client) => client.post('cancel', {})))
  for (const view of await Promise.all(waiting)) expect(view.status).toBe('canceled')
})

test('wakes for a change of this instance without reading the store', async () => {
  const client = await opened()
  const waiting = client.waitForVersion()
  await begun(1)
  isBlocked = true
  await client.pay('4242424242424242')
  expect((await waiting).status).toBe('succeeded')
  isBlocked = false
})

test('wakes at a deadline of the clock of its environment only', async () => {
  const [moved, unmoved] = [await opened(other), await opened(other, 'env_other')]
  const [expired, untouched] = [moved.waitForVersion(), unmoved.waitForVersion()]
  await begun(2)
  const day = 24 * 3600 * 1000
  await setClock(other.db, 'env_test', { offset: day })
  expect((await expired).status).toBe('expired')
  await setClock(other.db, 'env_test', { offset: 0 })
  await unmoved.post('cancel', {})
  expect((await untouched).status).toBe('canceled')
})

test('rejects a waiting request whose intent is deleted', async () => {
  const client = await opened(other)
  const waiting = client.waitForVersion()
  await begun(1)
  await resetEnvironments(other.db, 'env_test')
  const rejected = { status: 401, code: 'invalid_session' }
  expect(await client.view()).toMatchObject(rejected)
  expect(await waiting).toMatchObject(rejected)
})

test('waits through an outage of the store and logs it once', async () => {
  const failing = await startCheckout()
  await failing.registerOrigin(shop)
  const client = await opened(failing)
  const waiting = client.waitForVersion()
  await begun(1)
  const before = failing.logged.length
  const query = vi.spyOn(failing.db, 'query')
  await failing.db.query`alter table environments rename to away`
  failing.db.notify('unknown')
  // Three more reads.
  await expect.poll(() => query.mock.calls.length, { timeout: 5000 }).toBeGreaterThan(3)
  await failing.db.query`alter table away rename to environments`
  const lines = failing.logged.slice(before)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('Cannot check waiting requests')
  expect(lines[0]).toContain('"code":"42P01"')
  await client.post('cancel', {})
  expect((await waiting).status).toBe('canceled')
})

/** Sends a long poll that can last for minutes, and returns its response, which begins with a space. */
async function pulsing(client: PageClient) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const response = client.get('?waitForVersion=2&keepAlive')
  await vi.waitFor(() => expect(waits.begun).toBe(1), { timeout: 12_000 })
  await vi.advanceTimersByTimeAsync(45_000)
  const { body } = await response
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe(' ')
  return reader
}

test('ends a wait when its session expires', async () => {
  const client = await opened(other)
  other.advance(15 * 60_000 - 55_000)
  const reader = await pulsing(client)
  await vi.advanceTimersByTimeAsync(20_000)
  vi.useRealTimers()
  expect(JSON.parse(String((await reader?.read())?.value))).toMatchObject({ version: 1 })
})

test('sends a change after a space, and ends the connection of a revoked session', async () => {
  const client = await opened()
  const changed = await pulsing(client)
  vi.useRealTimers()
  await client.post('cancel', {})
  expect(JSON.parse(String((await changed?.read())?.value))).toMatchObject({ status: 'canceled' })

  waits.begun = 0
  const revoked = await opened()
  const { id } = await revoked.view()
  const ended = await pulsing(revoked)
  vi.useRealTimers()
  await revokeSecret(counted, { id, modes: ['test'] })
  await expect(ended?.read()).rejects.toThrow()
  expect(await revoked.view()).toMatchObject({ status: 401 })
})

test('responds immediately after a stop began, and closes the connection', async () => {
  const client = await opened(other)
  other.stop()
  const response = await client.get('?waitForVersion=2', AbortSignal.timeout(12_000))
  expect(response.headers.get('connection')).toBe('close')
  expect(await response.json()).toMatchObject({ version: 1 })
})

test('stops without waiting for buyers and without cutting them off', async () => {
  const service = await startTestService()
  const buyers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const client = new PageClient(service)
      await client.open(await created(service), 'http://localhost:3000')
      return { client, agent: new Agent({ keepAlive: true, maxSockets: 1 }) }
    }),
  )
  const failures: string[] = []
  let responses = 0
  // As a hosted page does: the next request follows each response, on the same connection.
  const polls = buyers.map(async ({ client, agent }) => {
    for (;;) {
      const request = get(`${service.url}/checkout-api/intent?waitForVersion=2`, {
        agent,
        headers: { authorization: `Bearer ${client.token}` },
      })
      try {
        const [response] = (await once(request, 'response')) as [IncomingMessage]
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
  await Promise.all(polls)
  expect(responses).toBeGreaterThanOrEqual(30)
  expect(new Set(failures)).toEqual(new Set(['ECONNREFUSED']))
})

test('causes no warning of Node.js with twenty open inspectors', async () => {
  const service = await startTestService()
  const streams = await Promise.all(Array.from({ length: 20 }, () => openChanges(service)))
  await Promise.all(streams.map((stream) => stream.read()))
  await service.stop()
  expect(warnings).toEqual([])
})
