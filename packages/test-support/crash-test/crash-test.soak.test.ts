// Merchants repeat each create until it is acknowledged, while the instances of a real store are killed. Then the intents are
// counted.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startTemporaryPostgres } from '../src/postgres.ts'
import { control, environmentPath } from '../src/sandbox.ts'
import { newSecretKey, type Program, type ServiceReady, startService } from '../src/stack.ts'

type Service = Program<ServiceReady>
type Start = () => Promise<Service>

const merchants = 24
const milliseconds = 4000

async function onPostgres(): Promise<Start> {
  const server = await startTemporaryPostgres()
  onTestFinished(server.stop)
  const env = { PI_DATABASE_URL: server.url, PI_SECRET_KEY: newSecretKey() }
  return () => startService([], env)
}

async function embedded(): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'pi-crash-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return () => startService(['--data', folder])
}

test.each([
  ['PostgreSQL', onPostgres, 3],
  ['the embedded store', embedded, 1],
])(
  'kills of instances on %s double and lose no acknowledged intent',
  {
    timeout: 240_000,
  },
  async (_, prepare, count) => {
    const start = await prepare()
    const running = await Promise.all(Array.from({ length: count }, start))
    onTestFinished(async () => void (await Promise.all(running.map(({ stop }) => stop('SIGKILL')))))
    // Only the first start on a store prints the key.
    const apiKey = running.map(({ ready }) => ready.apiKey).find(Boolean) ?? ''
    const create = (order: string): Promise<string> =>
      createUntilAcknowledged(running, apiKey, order)

    /** The bytes that acknowledged each order, which has one key. */
    const responses = new Map<string, string>()
    const until = performance.now() + milliseconds
    let orders = 0
    const merchant = async (): Promise<void> => {
      while (performance.now() < until) {
        // A third repeats an earlier order: a reload, a double click, a second tab.
        const isRepeated = orders > 0 && Math.random() < 1 / 3
        const order = `T-${isRepeated ? Math.floor(Math.random() * orders) : orders++}`
        const response = await create(order)
        expect(response).toBe(responses.get(order) ?? response)
        responses.set(order, response)
      }
    }
    const kill = async (): Promise<void> => {
      while (performance.now() < until) {
        await sleep(300 + Math.random() * 300)
        await running.shift()?.stop('SIGKILL')
        running.push(await start())
      }
    }
    await Promise.all([kill(), ...Array.from({ length: merchants }, merchant)])

    const left = [...responses]
    const replay = async (): Promise<void> => {
      for (let next = left.pop(); next; next = left.pop()) {
        const [order, response] = next
        expect(await create(order)).toBe(response)
      }
    }
    await Promise.all(Array.from({ length: merchants }, replay))
    const ids = [...responses.values()].map((response): string => JSON.parse(response).id)
    const headers = { authorization: `Bearer ${apiKey}` }
    for (const { ready } of running) {
      for (const id of ids) {
        const { status } = await fetch(`${ready.baseUrl}/payment-intents/${id}`, { headers })
        expect([id, status]).toEqual([id, 200])
      }
    }
    const [service] = running
    if (!service) throw new Error('No instance runs.')
    const path = `${await environmentPath({ api: service.ready })}/reset`
    expect(await control({ api: service.ready }, path, {})).toEqual({ deleted: responses.size })
  },
)

/** Sends a create to any instance until one acknowledges it. Returns the response's body. */
async function createUntilAcknowledged(
  running: readonly Service[],
  apiKey: string,
  orderId: string,
): Promise<string> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const { ready } = running[Math.floor(Math.random() * running.length)] ?? {}
    const response = await fetch(`${ready?.baseUrl}/payment-intents`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': `key-${orderId}`,
      },
      body: JSON.stringify({ amount: 150000, currency: 'AMD', orderId }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined)
    // An instance may be killed while it sends the body.
    const text = await response?.text().catch(() => undefined)
    if (text !== undefined && response?.status === 201) return text
    if (text !== undefined && JSON.parse(text).retryable !== true) {
      throw new Error(`A create was rejected with ${response?.status}: ${text}`)
    }
    await sleep(20 + Math.random() * 80)
  }
  throw new Error('No instance acknowledged an order within 60 seconds')
}
