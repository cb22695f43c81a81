import { setTimeout as sleep } from 'node:timers/promises'
import { startLoadBalancer } from '@pi-checkout/test-support/load-balancer'
import { expect, test } from 'vitest'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { Merchant, startProcess } from '../support/service.ts'

const { env } = await startPostgres()
// As a service with PostgreSQL has it.
const start = async () => await startProcess([], { ...env, PI_DRAIN_MS: '5000' })
const first = await start()
const instances = [first, await start(), await start()]
const balancer = await startLoadBalancer()
atEnd(balancer.stop)
const merchant = new Merchant({ ...first, url: balancer.origin })
let stopped = false

test('fails no request while three instances behind a balancer restart three times', async () => {
  const results = new Map<string, number>()
  const lanes = Array.from({ length: 8 }, () => send(results))
  await Promise.all([restart(results), watch(), ...lanes])
  process.stdout.write(`  9 restarts: ${JSON.stringify([...results])}\n`)
  expect([...results.keys()]).toEqual(['201'])
}, 300_000)

async function restart(results: ReadonlyMap<string, number>): Promise<void> {
  await untilAllReady()
  for (let round = 0; round < 3; round++) {
    for (const [index, instance] of instances.entries()) {
      const before = results.get('201') ?? 0
      await instance.stop()
      instances[index] = await start()
      await untilAllReady()
      expect(results.get('201')).toBeGreaterThan(before)
    }
  }
  stopped = true
}

/** Sends new connections to ready instances only, as the health check of a balancer. */
async function watch(): Promise<void> {
  for (; !stopped; await sleep(100)) {
    const checks = instances.map(async ({ url }) => {
      const ready = await fetch(`${url}/readyz`).catch(() => undefined)
      balancer.targets[ready?.ok ? 'add' : 'delete'](Number(new URL(url).port))
    })
    await Promise.all(checks)
  }
}

async function untilAllReady(): Promise<void> {
  const ports = instances.map(({ url }) => Number(new URL(url).port))
  await expect
    .poll(() => ports.filter((port) => balancer.targets.has(port)), { timeout: 20_000 })
    .toEqual(ports)
}

/** Creates intents on connections that stay open, and counts the results. Leaves time for the restarts. */
async function send(results: Map<string, number>): Promise<void> {
  await untilAllReady()
  while (!stopped) {
    const result = await merchant.create().then(
      ({ status }) => `${status}`,
      ({ cause }) => String(cause),
    )
    results.set(result, (results.get(result) ?? 0) + 1)
    await sleep(20)
  }
}
