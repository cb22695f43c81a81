import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { seed } from '@pi-checkout/test-support/generated'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { startSite } from '@pi-checkout/test-support/sites'
import { expect, test } from 'vitest'
import { PaymentIntents } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { listenerOf } from '../scripted-service.ts'

const killed = 200
const concurrency = 4

/** Creates an intent with the built package, and prints its id. */
const shop = `import { PaymentIntents } from '@pi-checkout/server'
  const order = { amount: 1999, currency: 'USD', orderId: process.argv[1] }
  const { intent } = await new PaymentIntents().create(order)
  process.stdout.write(intent.id)`
const cwd = fileURLToPath(new URL('../..', import.meta.url))

test(`creates one intent for each order of ${killed} processes killed during a create (PI_SEED=${seed})`, {
  timeout: 300_000,
}, async () => {
  const random = seededRandom(seed)
  const service = fakeService()
  const arrivals = new Map<string, () => void>()
  // Random delays before and after the commit.
  const server = await startSite(
    listenerOf(service, (body) => {
      if (body) arrivals.get(JSON.parse(body).orderId)?.()
      return sleep(random() * 15)
    }),
  )
  const baseUrl = server.origin
  const { apiKey } = service.options
  const saved = new Map<string, string>()

  const killOne = async (orderId: string): Promise<void> => {
    const args = ['--input-type=module', '--eval', shop, orderId]
    const child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env.PATH, PI_API_KEY: apiKey, PI_BASE_URL: baseUrl },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = new Promise((resolve) => child.on('close', resolve))
    child.stdout.on('data', (chunk) => saved.set(orderId, String(chunk)))
    await new Promise<void>((resolve) => arrivals.set(orderId, resolve))
    await sleep(random() * 40)
    child.kill('SIGKILL')
    await ended
  }
  const repeat = async (orderId: string): Promise<string> => {
    const intents = new PaymentIntents({ apiKey, baseUrl })
    const { intent } = await intents.create({ amount: 1999, currency: 'USD', orderId })
    return intent.id
  }

  const left = Array.from({ length: killed }, (_, index) => `order-${index}`)
  const found = new Map<string, string>()
  const work = async (): Promise<void> => {
    for (let orderId = left.pop(); orderId !== undefined; orderId = left.pop()) {
      await killOne(orderId)
      found.set(orderId, await repeat(orderId))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  await server.close()

  const orders = service.intents.map(({ orderId }) => orderId)
  expect(orders).toHaveLength(killed)
  expect(new Set(orders).size).toBe(killed)
  for (const { id, orderId } of service.intents) expect(found.get(orderId)).toBe(id)
  // A process that saved an id saved the same intent.
  for (const [orderId, id] of saved) expect(found.get(orderId)).toBe(id)
  expect(saved.size).toBeLessThan(killed)
})
