import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { seed } from '@pi-checkout/test-support/generated'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { type StartedProgram, startProgram } from '@pi-checkout/test-support/process'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { startSite } from '@pi-checkout/test-support/sites'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { phaseOf, sqlPaymentsTable } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { listenerOf } from '../scripted-service.ts'

const orders = 200
const merchants = 5
const buyers = 8
const ordersPerKill = 20
const statuses = ['processing', 'requires_action', 'failed', 'succeeded', 'succeeded'] as const
const canChange = (status: string): boolean => ['open', 'processing'].includes(phaseOf(status))
const program = fileURLToPath(new URL('shop-instance.ts', import.meta.url))

test(`two instances of ${merchants} merchants that are killed during ${orders} orders lose no payment (PI_SEED=${seed})`, {
  timeout: 400_000,
}, async () => {
  const random = seededRandom(seed)
  const happens = (probability: number): boolean => random() < probability
  const services = Array.from({ length: merchants }, () => fakeService())
  const lose = async (response: ServerResponse): Promise<void> => {
    await sleep(random() * 10)
    // A response that is lost after the commit.
    if (happens(0.03)) response.destroy()
  }
  const keys = services.map(({ options }) => options.apiKey)
  const listeners = services.map((service) => listenerOf(service, lose))
  const pay = await startSite(async (request, response) => {
    const [, key = ''] = request.headers.authorization?.split(' ') ?? []
    await listeners[keys.indexOf(key)]?.(request, response)
  })
  const postgres = await startTemporaryPostgres({ fsync: 'off' })
  const pool = new pg.Pool({ connectionString: postgres.url })
  pool.on('error', () => {})
  await pool.query(`${sqlPaymentsTable.postgres}
    create table orders (merchant integer, id text, amount integer not null, paid_by text,
      paid_at timestamptz, primary key (merchant, id));
    create table reviews (merchant integer, order_id text, intent_id text primary key, reason text);`)

  const env = { SHOP_DATABASE: postgres.url, SHOP_KEYS: keys.join(','), PI_BASE_URL: pay.origin }
  const start = (): Promise<StartedProgram> =>
    startProgram(['--import', 'tsx', '--conditions=source', program], { env })
  const instances = await Promise.all([start(), start()])
  onTestFinished(async () => {
    await Promise.all(instances.map(({ child }) => child.exitCode ?? child.kill('SIGKILL')))
    await pool.end()
    await pay.close()
    await postgres.stop()
  })

  interface Order {
    readonly merchant: number
    readonly id: string
  }

  /** A request of a page to any instance; `undefined` if the instance was killed. */
  const send = async (
    path: string,
    { merchant, id: orderId }: Order,
  ): Promise<Record<string, string> | undefined> => {
    const instance = instances[happens(0.5) ? 0 : 1]
    const isPost = path === 'handoff'
    const query = isPost ? '' : `?orderId=${orderId}`
    const url = `http://127.0.0.1:${instance?.line}/${merchant}/${path}${query}`
    const headers = { origin: 'https://shop.example', 'content-type': 'application/json' }
    const body = isPost ? JSON.stringify({ orderId }) : null
    const signal = AbortSignal.timeout(20_000)
    try {
      const response = await fetch(url, { method: isPost ? 'POST' : 'GET', headers, body, signal })
      return (await response.json()) as Record<string, string>
    } catch {
      return undefined
    }
  }

  /** One buyer: reloads, edits, old tabs, declines, challenges, and a payment. */
  const buy = async (order: Order): Promise<void> => {
    const { merchant, id: orderId } = order
    const service = services[merchant] ?? fakeService()
    await pool.query('insert into orders values ($1, $2, 100)', [merchant, orderId])
    const tabs = new Set<string>()
    for (let step = 0; step < 8; step++) {
      const { id } = (await send('handoff', order)) ?? {}
      if (id) tabs.add(id)
      const tab = [...tabs][Math.floor(random() * tabs.size)]
      const status = service.intents.find((intent) => intent.id === tab)?.status ?? ''
      if (tab && canChange(status) && happens(0.5)) {
        const next = statuses[Math.floor(random() * statuses.length)] ?? 'succeeded'
        service.settle(tab, next)
      }
      if (happens(0.2)) {
        const sql =
          'update orders set amount = $3 where merchant = $1 and id = $2 and paid_by is null'
        await pool.query(sql, [merchant, orderId, happens(0.5) ? 100 : 200])
      }
      if (happens(0.5)) await send('status', order)
    }
  }
  // Kills are counted in orders, not in seconds: a fast machine has as many of them.
  const waiting = Array.from({ length: orders }, (_, index) => ({
    merchant: index % merchants,
    id: `order-${Math.floor(index / merchants)}`,
  }))
  let killing: Promise<void> = Promise.resolve()
  const kill = async (): Promise<void> => {
    await sleep(random() * 100)
    const index = happens(0.5) ? 0 : 1
    await instances[index]?.stop('SIGKILL')
    instances[index] = await start()
  }
  const work = async (): Promise<void> => {
    for (let order = waiting.pop(); order; order = waiting.pop()) {
      if (waiting.length % ordersPerKill === 0) {
        killing = killing.then(kill)
        await killing
      }
      await buy(order)
    }
  }
  await Promise.all(Array.from({ length: buyers }, work))

  for (const { settle, intents } of services) {
    for (const { id, status } of intents) {
      if (canChange(status)) settle(id, 'expired')
    }
  }
  // The lease of a hook that was killed ends after a minute, and a check is repeated after one or two.
  const leftOver = async (): Promise<number | null> => {
    const due = 'select from checkout_payments where check_at is not null'
    return (await pool.query(due)).rowCount
  }
  await expect.poll(leftOver, { timeout: 300_000, interval: 1_000 }).toBe(0)

  const { rows: shipped } = await pool.query(
    'select merchant, id, paid_by as intent, paid_at from orders where paid_by is not null',
  )
  const { rows: reviews } = await pool.query(
    'select merchant, order_id as id, intent_id as intent, null as paid_at from reviews',
  )
  const known = new Map(
    [...shipped, ...reviews].map(({ merchant, id, intent, paid_at: at }) => [
      intent,
      { order: { merchant, id }, at },
    ]),
  )
  expect(known.size).toBe(shipped.length + reviews.length)
  for (const [merchant, { intents }] of services.entries()) {
    for (const { id: intent, orderId: id, status, updatedAt } of intents) {
      const { order, at } = known.get(intent) ?? {}
      expect(order).toEqual(status === 'succeeded' ? { merchant, id } : undefined)
      if (!order) continue
      expect(['paid', 'review']).toContain((await send('status', order))?.phase)
      // Also if its tab was closed: it was handed out a moment before.
      if (at) expect(Number(at) - Date.parse(String(updatedAt))).toBeLessThan(120_000)
    }
  }
  expect(reviews.length).toBeGreaterThan(5)
})
