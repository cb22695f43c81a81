import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { create, order, retrieve, startTestService } from '../support/service.ts'

/** An address that leads to the primary, as a proxy or a virtual IP of operators. */
async function startAddress(url: string): Promise<{ url: string; leadTo(url: string): void }> {
  let port = Number(new URL(url).port)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  atEnd(() => server.close())
  await once(server, 'listening')
  return {
    url: url.replace(String(port), String((server.address() as AddressInfo).port)),
    leadTo: (next) => {
      port = Number(new URL(next).port)
      for (const socket of open) socket.destroy()
    },
  }
}

type Primary = Awaited<ReturnType<typeof startPostgres>>
type Standby = Awaited<ReturnType<Primary['startStandby']>>

/** The standby stops, the commits that wait for it are ended, and then the primary is killed. */
async function loseStandbyFirst(primary: Primary, standby: Standby): Promise<void> {
  await standby.cut()
  const admin = new pg.Client(primary.url)
  admin.on('error', () => {})
  await admin.connect()
  for (let round = 0; round < 10; round++) {
    await sleep(150)
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'",
    )
  }
  await primary.cut()
  await standby.start()
}

const failures: readonly [string, (primary: Primary, standby: Standby) => unknown][] = [
  ['is killed', async (primary) => await primary.cut()],
  ['freezes', (primary) => primary.freeze()],
  ['is killed while the standby lacks commits', loseStandbyFirst],
]
for (const [what, fail] of failures) {
  test(`loses and doubles no acknowledged intent when the primary ${what}`, async () => {
    const primary = await startPostgres()
    const address = await startAddress(primary.url)
    const env = { PI_DATABASE_URL: address.url, PI_SECRET_KEYS: newSecretKeys() }
    const instances = [await startTestService(env), await startTestService(env)]
    const apiKey = String(instances.flatMap(({ ready }) => ready.apiKey ?? [])[0])
    const standby = await primary.startStandby()

    const acknowledged = new Map<string, Set<string>>()
    let stopped = false
    /** Sends each create until it is acknowledged, and then once more to the other instance. */
    const work = async (lane: number): Promise<void> => {
      for (let number = 0; !stopped; number++) {
        const key = `${lane}-${number}`
        for (let at = 0, left = 2; left > 0; at++) {
          const merchant = { url: instances[at % 2]?.url ?? '', apiKey }
          const response = await create(merchant, order, { 'idempotency-key': key }).catch(
            () => undefined,
          )
          const text = await response?.text()
          if (response?.status !== 201 || text === undefined) {
            expect([undefined, 409, 503, 504]).toContain(response?.status)
            await sleep(50)
            continue
          }
          left--
          acknowledged.set(key, (acknowledged.get(key) ?? new Set()).add(text))
        }
      }
    }
    const lanes = Array.from({ length: 6 }, (_, lane) => work(lane))
    await expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(20)
    const before = acknowledged.size
    await fail(primary, standby)
    await standby.promote()
    address.leadTo(standby.url)
    await expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(before + 20)
    for (const { url } of instances) expect((await fetch(`${url}/readyz`)).status).toBe(200)
    stopped = true
    await Promise.all(lanes)
    for (const [key, texts] of acknowledged) {
      expect(texts.size, key).toBe(1)
      const { id } = JSON.parse([...texts].join())
      expect((await retrieve({ url: instances[0]?.url ?? '', apiKey }, id)).status, key).toBe(200)
    }
  }, 90_000)
}
