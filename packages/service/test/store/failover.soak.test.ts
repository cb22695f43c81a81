import { setTimeout as sleep } from 'node:timers/promises'
import { type Handoff, HostedPage } from '@pi-checkout/test-support/http-buyer'
import { startLoadBalancer } from '@pi-checkout/test-support/load-balancer'
import type { Standby, TemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { expect, test } from 'vitest'
import { newSecretKey } from '../../src/secret-keys.ts'
import { atEnd, connectTo, startPostgres } from '../support/lifetime.ts'
import { Merchant, order, startTestService } from '../support/service.ts'

/** The standby stops, the commits that wait for it are ended, and then the primary is killed. */
async function loseStandbyFirst(primary: TemporaryPostgres, standby: Standby): Promise<void> {
  await standby.cut()
  const admin = await connectTo(primary.url)
  for (let round = 0; round < 10; round++) {
    await sleep(150)
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'",
    )
  }
  await primary.cut()
  await standby.start()
}

/** The primary becomes read-only, and its connections stay open. */
async function demote(primary: TemporaryPostgres): Promise<void> {
  const admin = await connectTo(primary.url)
  await admin.query('set synchronous_commit = local')
  await admin.query('alter system set default_transaction_read_only = on')
  await admin.query('select pg_reload_conf()')
}

type Failure = (primary: TemporaryPostgres, standby: Standby) => unknown
const failures: readonly [string, Failure][] = [
  ['killed', (primary) => primary.cut()],
  ['frozen', (primary) => primary.freeze()],
  ['demoted', demote],
  ['killed while the standby lacked commits', loseStandbyFirst],
  ['killed again', (primary) => primary.cut()],
]

const database = await startLoadBalancer()
atEnd(database.stop)
const service = await startLoadBalancer()
atEnd(service.stop)
let primary: TemporaryPostgres = await startPostgres()
database.targets.add(portOf(primary.url))
const env = {
  PI_DATABASE_URL: primary.url.replace(`${portOf(primary.url)}`, `${database.port}`),
  PI_PUBLIC_URL: service.origin,
  PI_SECRET_KEY: newSecretKey(),
}
const one = await startTestService(env)
const instances = [one, await startTestService(env), await startTestService(env)]
for (const { url } of instances) service.targets.add(portOf(url))
const merchant = new Merchant({ ...one, url: service.origin })

/** The status of each acknowledged intent, by its id. */
const acknowledged = new Map<string, string>()
let stopped = false

test('loses and doubles no acknowledged intent or payment in five failovers', async () => {
  const lanes = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => lane(name, at > 3))
  await Promise.all([failOver(), ...lanes])
  const admin = await connectTo(primary.url)
  const { rows } = await admin.query(`
    select id, order_id, coalesce(state::json->'events'->-1->>'status', 'requires_payment_method') as status
      from intents`)
  expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(acknowledged)
  expect(new Set(rows.map((row) => row.order_id)).size).toBe(rows.length)
}, 300_000)

async function failOver(): Promise<void> {
  for (const [round, [what, fail]] of failures.entries()) {
    const standby = await primary.startStandby()
    await expectProgress()
    await fail(primary, standby)
    await standby.promote()
    const promotedAt = performance.now()
    database.targets.clear()
    database.targets.add(portOf(standby.url))
    if (fail !== demote) database.closeConnections()
    const recoveries = instances.map(async (instance) => {
      await createOnce(`after-${round}-${portOf(instance.url)}`, instance)
      return Math.round(performance.now() - promotedAt)
    })
    const times = await Promise.all(recoveries)
    process.stdout.write(`  ${what}: instances serve again after ${times.join(', ')} ms\n`)
    expect(Math.max(...times)).toBeLessThan(15_000)
    for (const { url } of instances) expect((await fetch(`${url}/readyz`)).status).toBe(200)
    primary = standby
  }
  await expectProgress()
  stopped = true
}

/** Creates intents, sends each create once more, and reads what it has, which a buyer may have paid. */
async function lane(name: string, pays: boolean): Promise<void> {
  for (let number = 0; !stopped; number++) {
    const key = `${name}-${number}`
    const created = await createOnce(key)
    expect(await createOnce(key)).toBe(created)
    const { id, clientSecret } = JSON.parse(created)
    if (pays) await payTwice(key, { id, clientSecret })
    const status = pays ? 'succeeded' : 'requires_payment_method'
    const read = await untilStatus(200, () => merchant.retrieve(id))
    expect(JSON.parse(read)).toMatchObject({ status })
  }
}

/** Pays an intent on the hosted page's API, and sends the confirmation once more. */
async function payTwice(key: string, { id, clientSecret }: Handoff): Promise<void> {
  const page = new HostedPage(merchant)
  const opening = { id, clientSecret, origin: 'http://localhost:3000' }
  page.token = JSON.parse(await untilStatus(200, () => page.post('session', opening))).token
  const confirmation = { confirmationId: `attempt-${key}-00000000`, version: 1 }
  const pay = (): Promise<Response> => page.pay('4242424242424242', confirmation)
  const paid = await untilStatus(200, pay)
  acknowledged.set(id, 'succeeded')
  expect(await untilStatus(200, pay)).toBe(paid)
}

/** Sends a create with this key until it is acknowledged. */
async function createOnce(key: string, to = merchant): Promise<string> {
  const text = await untilStatus(201, () =>
    to.create({ ...order, orderId: key }, { 'idempotency-key': key }),
  )
  const { id, status } = JSON.parse(text)
  acknowledged.set(id, status)
  return text
}

/** Repeats a request while the store is unavailable. */
async function untilStatus(status: number, send: () => Promise<Response>): Promise<string> {
  for (;;) {
    const response = await send().catch(() => undefined)
    const text = await response?.text()
    if (text !== undefined && response?.status === status) return text
    expect([undefined, 409, 503, 504], text).toContain(response?.status)
    await sleep(50)
  }
}

async function expectProgress(): Promise<void> {
  const before = acknowledged.size
  await expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(before + 20)
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
