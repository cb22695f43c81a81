// Merchants and buyers repeat each request until it is acknowledged, while the database fails over, instances are killed, or
// the disk is full. Then the intents are counted.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Handoff, HostedPage } from '@pi-checkout/test-support/http-buyer'
import { type LoadBalancer, startLoadBalancer } from '@pi-checkout/test-support/load-balancer'
import type { Standby, TemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { control, type Sandbox } from '@pi-checkout/test-support/sandbox'
import { expect, test } from 'vitest'
import { newSecretKey } from '../../src/secret-keys.ts'
import { atEnd, connectTo, startPostgres, temporaryFolder } from '../support/lifetime.ts'
import { Merchant, order, startProcess, startTestService } from '../support/service.ts'

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

test('loses and doubles no acknowledged intent or payment in five failovers', async () => {
  let primary: TemporaryPostgres = await startPostgres()
  const [database, service] = [await startBalancer(), await startBalancer()]
  database.targets.add(portOf(primary.url))
  const env = {
    PI_DATABASE_URL: primary.url.replace(`${portOf(primary.url)}`, `${database.port}`),
    PI_PUBLIC_URL: service.origin,
    PI_SECRET_KEY: newSecretKey(),
  }
  const one = await startTestService(env)
  const instances = [one, await startTestService(env), await startTestService(env)]
  for (const { url } of instances) service.targets.add(portOf(url))
  const traffic = startTraffic(new Merchant({ ...one, url: service.origin }))
  for (const [round, [what, fail]] of failures.entries()) {
    const standby = await primary.startStandby()
    await traffic.expectProgress()
    await fail(primary, standby)
    await standby.promote()
    const promotedAt = performance.now()
    database.targets.clear()
    database.targets.add(portOf(standby.url))
    if (fail !== demote) database.closeConnections()
    const recoveries = instances.map(async (instance) => {
      await traffic.create(`after-${round}-${portOf(instance.url)}`, instance)
      return Math.round(performance.now() - promotedAt)
    })
    const times = await Promise.all(recoveries)
    process.stdout.write(`  ${what}: instances serve again after ${times.join(', ')} ms\n`)
    expect(Math.max(...times)).toBeLessThan(15_000)
    for (const { url } of instances) expect((await fetch(`${url}/readyz`)).status).toBe(200)
    primary = standby
  }
  await traffic.expectProgress()
  await traffic.expectStored(instances)
}, 300_000)

test.each([
  ['PostgreSQL', 3, async () => (await startPostgres()).env],
  ['the embedded store', 1, async () => ({ PI_DATA_DIR: temporaryFolder() })],
])(
  'loses and doubles no acknowledged intent or payment if instances on %s are killed',
  {
    timeout: 240_000,
  },
  async (_, count, prepare) => {
    const service = await startBalancer()
    const env = { ...(await prepare()), PI_PUBLIC_URL: service.origin }
    const start = async () => {
      const instance = await startProcess([], env)
      service.targets.add(portOf(instance.url))
      return instance
    }
    const instances = await Promise.all(Array.from({ length: count }, start))
    // Only the first start on a store prints the key.
    const apiKey = String(instances.map((instance) => instance.apiKey).find(Boolean))
    const traffic = startTraffic(new Merchant({ apiKey, url: service.origin }))
    for (let kills = 0; kills < 4; kills++) {
      await traffic.expectProgress()
      const killed = instances.shift()
      await killed?.stop('SIGKILL')
      instances.push(await start())
      service.targets.delete(portOf(String(killed?.url)))
    }
    await traffic.expectStored(instances)
  },
)

const disk = temporaryFolder()
// A separate disk that is small enough to fill; only root may mount one.
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]).status === 0
if (isMounted) atEnd(() => spawnSync('umount', ['--lazy', disk]))

// Space that is left: for no checkpoint, or for some.
test.skipIf(!isMounted).each([
  ['immediately', 100_000],
  ['after checkpoints', 8_000_000],
])(
  'loses and doubles no acknowledged intent or payment if the disk is full %s',
  async (_, free) => {
    const env = { PI_DATA_DIR: join(disk, 'data') }
    const service = await startTestService(env)
    const value = (_: unknown, at: number) => [`k${at}`, randomBytes(250).toString('hex')]
    const metadata = Object.fromEntries(Array.from({ length: 30 }, value))
    const traffic = startTraffic(service, { metadata })
    const filler = join(disk, 'filler')
    const fill = async (left: number): Promise<void> => {
      const { bavail, bsize } = await statfs(disk)
      // The traffic may take the space before the filler has it.
      await writeFile(filler, Buffer.alloc(bavail * bsize - left)).catch(() => {})
      const before = traffic.rejections.length
      const rejections = expect.poll(() => traffic.rejections.length, { timeout: 60_000 })
      await rejections.toBeGreaterThan(before)
    }
    await fill(free)
    await rm(filler)
    await traffic.expectProgress()
    await fill(100_000)
    await service.stop()
    await rm(filler)
    expect(new Set(traffic.rejections)).toEqual(new Set(['503 1 store_unavailable']))
    const { port } = new URL(service.url)
    const restarted = await startTestService(env, { flags: { port } })
    await traffic.expectStored([restarted])
    await restarted.stop()
    await rm(env.PI_DATA_DIR, { recursive: true })
  },
)

interface Instance {
  readonly url: string
  readonly ready: Sandbox['api']
}

/** Lets a merchant's servers create intents, and buyers pay a third of them. */
function startTraffic(merchant: Merchant, fields: object = {}) {
  /** What was acknowledged: the response to each key, and the status of each intent. */
  const responses = new Map<string, string>()
  const statuses = new Map<string, string>()
  /** Status, Retry-After, and code of each other response to a create. */
  const rejections: string[] = []
  let hasEnded = false

  async function send(key: string, to: Merchant): Promise<Response> {
    const body = { ...order, ...fields, orderId: key }
    const response = await to.create(body, { 'idempotency-key': key })
    if (response.status !== 201) {
      const { code } = (await response.clone().json()) as { readonly code: string }
      rejections.push([response.status, response.headers.get('retry-after'), code].join(' '))
    }
    return response
  }

  /** Sends a create with this key until it is acknowledged. */
  async function create(key: string, to: Merchant = merchant): Promise<Handoff> {
    const response = await untilStatus(201, () => send(key, to))
    expect(response).toBe(responses.get(key) ?? response)
    responses.set(key, response)
    const { id, clientSecret, status } = JSON.parse(response)
    if (!statuses.has(id)) statuses.set(id, status)
    return { id, clientSecret }
  }

  /** Pays an intent on the hosted page's API, and sends the confirmation once more. */
  async function payTwice(key: string, { id, clientSecret }: Handoff): Promise<void> {
    const page = new HostedPage(merchant)
    const opening = { id, clientSecret, origin: 'http://localhost:3000' }
    page.token = JSON.parse(await untilStatus(200, () => page.post('session', opening))).token
    const confirmation = { confirmationId: `attempt-${key}-00000000`, version: 1 }
    const pay = (): Promise<Response> => page.pay('4242424242424242', confirmation)
    const paid = await untilStatus(200, pay)
    statuses.set(id, 'succeeded')
    expect(await untilStatus(200, pay)).toBe(paid)
  }

  async function lane(name: number): Promise<void> {
    for (let number = 0; !hasEnded; number++) {
      const key = `${name}-${number}`
      // A double click.
      const [handoff] = await Promise.all([create(key), create(key)])
      if (name % 3 === 0) await payTwice(key, handoff)
      const read = await untilStatus(200, () => merchant.retrieve(handoff.id))
      expect(JSON.parse(read).status).toBe(statuses.get(handoff.id))
      await sleep(50)
    }
  }
  const lanes = Promise.all(Array.from({ length: 9 }, (_, name) => lane(name)))
  // Awaited below.
  lanes.catch(() => {})
  atEnd(() => {
    hasEnded = true
  })

  return {
    create,
    rejections,
    /** Expects new intents within the time in which the service must be back. */
    async expectProgress(): Promise<void> {
      const enough = statuses.size + 20
      const progress = expect.poll(() => statuses.size, { timeout: 15_000 })
      await Promise.race([lanes, progress.toBeGreaterThan(enough)])
    },
    /** Ends it, and expects what was acknowledged at each instance, and nothing else in the store. */
    async expectStored(instances: readonly Instance[]): Promise<void> {
      hasEnded = true
      await lanes
      for (const key of responses.keys()) await create(key)
      const expectStatuses = async ({ url }: Instance): Promise<void> => {
        const at = new Merchant({ ...merchant, url })
        for (const [id, status] of statuses) {
          expect([id, await at.statusOf(id)]).toEqual([id, status])
        }
      }
      await Promise.all(instances.map(expectStatuses))
      const [api] = instances.map(({ ready }) => ready)
      if (!api) throw new Error('No instance runs.')
      const path = `/environments/${merchant.environmentId}/reset`
      expect(await control({ api }, path, {})).toEqual({ deleted: statuses.size })
    },
  }
}

/** Repeats a request while an instance or the store is unavailable. */
async function untilStatus(status: number, send: () => Promise<Response>): Promise<string> {
  for (;;) {
    const response = await send().catch(() => undefined)
    // An instance may be killed while it sends the body.
    const text = await response?.text().catch(() => undefined)
    if (text !== undefined && response?.status === status) return text
    if (text !== undefined) expect(JSON.parse(text), text).toMatchObject({ retryable: true })
    await sleep(50)
  }
}

async function startBalancer(): Promise<LoadBalancer> {
  const balancer = await startLoadBalancer()
  atEnd(balancer.stop)
  return balancer
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
