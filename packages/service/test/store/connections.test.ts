import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { change, createIntentStore } from '../../src/intents/store.ts'
import { findApiKey } from '../../src/merchants/api-keys.ts'
import { openPool } from '../../src/store/postgres.ts'
import { shareChanges } from '../../src/store/receive.ts'
import { sql } from '../../src/store/sql.ts'
import { atEnd } from '../support/lifetime.ts'
import { newIntent, openTestPostgres } from '../support/store.ts'

const { url } = await openTestPostgres()

/** A network between service and database. `lose` swallows all of its connections, and new ones work again. */
async function startNetwork() {
  const near = new Set<Socket>()
  const lost = new WeakSet<Socket>()
  const proxy = createServer((socket) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    near.add(socket)
    socket.on('data', (part) => lost.has(socket) || far.write(part)).on('error', () => {})
    far.on('data', (part) => lost.has(socket) || socket.write(part)).on('error', () => {})
    far.on('close', () => lost.has(socket) || socket.destroy())
    socket.on('close', () => far.destroy())
  }).listen(0, '127.0.0.1')
  atEnd(() => {
    for (const socket of near) socket.destroy()
    proxy.close()
  })
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  return {
    url: url.replace(new URL(url).port, String(port)),
    connections: () => near.size,
    lose: () => {
      for (const socket of near) lost.add(socket)
    },
  }
}

const limit = 500

/** Opens a store whose pool has several idle connections. */
async function openIdle() {
  const network = await startNetwork()
  const config = { connectionString: network.url, query_timeout: limit }
  const db = shareChanges(openPool(config), () => new pg.Client(config))
  atEnd(() => db.close())
  await Promise.all(
    Array.from({ length: 10 }, (_, at) => db.query(sql`select ${at} + 1 as number`)),
  )
  expect(network.connections()).toBeGreaterThan(4)
  const store = createIntentStore({ db, now: () => new Date() })
  const intent = newIntent()
  await store.create({ intent })
  return { network, db, store, intent }
}

type Idle = Awaited<ReturnType<typeof openIdle>>

const operations: readonly [what: string, run: (idle: Idle) => Promise<unknown>][] = [
  ['a create', ({ store }) => store.create({ intent: newIntent() })],
  ['a read', ({ store, intent }) => store.find(intent.id)],
  ['a change', ({ store, intent }) => change(store, intent.id, { type: 'canceled' })],
  ['a look-up of a key', ({ db }) => findApiKey(db, 'pi_sk_test_x')],
  ['a statement without a name', ({ db }) => db.query(sql`select 1 as one`)],
  ['a readiness check', ({ db }) => db.probe()],
]

/** @see Finding S2 */
test.each(operations)('serves the request after %s that met a lost connection', async (_, run) => {
  const idle = await openIdle()
  idle.network.lose()
  const begin = performance.now()
  await expect(run(idle)).rejects.toMatchObject({ unavailable: true })
  expect(performance.now() - begin).toBeLessThan(3 * limit)
  // All other connections are lost, too, and none is used.
  for (const [, next] of operations) await next(idle)
  expect(performance.now() - begin).toBeLessThan(6 * limit)
})

test('fails all requests that wait for a lost connection once, and then serves all', async () => {
  const { network, store, intent } = await openIdle()
  network.lose()
  const read = async () => await store.find(intent.id)
  const results = await Promise.allSettled(Array.from({ length: 50 }, read))
  expect(results.some(({ status }) => status === 'rejected')).toBe(true)
  for (const found of await Promise.all(Array.from({ length: 50 }, read))) {
    expect(found?.id).toBe(intent.id)
  }
})
