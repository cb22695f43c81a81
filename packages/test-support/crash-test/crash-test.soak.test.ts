// Merchants repeat each create until it is acknowledged, while the instances of a real store are killed, its connections are
// closed, and responses get lost. Then the intents are counted.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startTemporaryPostgres } from '../src/postgres.ts'
import { storedIntents } from '../src/sandbox.ts'
import { newSecretKey, type Program, type ServiceReady, startService } from '../src/stack.ts'

type Service = Program<ServiceReady>

const merchants = 24
const milliseconds = 4000

test('kills and closed connections on PostgreSQL double and lose no acknowledged intent', {
  timeout: 240_000,
}, async () => {
  const server = await startTemporaryPostgres()
  const db = new pg.Pool({ connectionString: server.url, max: 1 })
  // An idle connection that is closed reports an error here, and is replaced.
  db.on('error', () => {})
  const env = { PI_DATABASE_URL: server.url, PI_SECRET_KEY: newSecretKey() }
  const instances = await startInstances(3, () => startService([], env))
  onTestFinished(async () => {
    await Promise.all(instances.running.map(({ stop }) => stop('SIGKILL')))
    await db.end()
    await server.stop()
  })
  const cut = async (): Promise<void> => {
    await db.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and backend_type = 'client backend'`)
  }
  const responses = await createDuringCrashes(instances, cut)
  await expectReplays(instances, responses)
  const { rows } = await db.query<{ count: string }>('select count(*) from intents')
  expect(Number(rows[0]?.count)).toBe(responses.size)
})

test('kills of the embedded store double and lose no acknowledged intent', {
  timeout: 240_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pi-crash-test-'))
  const instances = await startInstances(1, () => startService(['--data', folder]))
  onTestFinished(async () => {
    await Promise.all(instances.running.map(({ stop }) => stop('SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  })
  const responses = await createDuringCrashes(instances)
  await expectReplays(instances, responses)
  const [{ ready } = { ready: undefined }] = instances.running
  if (ready) expect(await storedIntents({ api: ready })).toHaveLength(responses.size)
})

interface Instances {
  running: readonly Service[]
  /** The key, which only the first start on a store prints. */
  readonly apiKey: string
  readonly start: () => Promise<Service>
}

async function startInstances(count: number, start: () => Promise<Service>): Promise<Instances> {
  const running = await Promise.all(Array.from({ length: count }, start))
  const { apiKey = '' } = running.map(({ ready }) => ready).find((ready) => ready.apiKey) ?? {}
  return { running, apiKey, start }
}

/**
 * Creates orders, and kills the instances by turns or cuts their connections.
 *
 * @returns The bytes that acknowledged each order, which has one key.
 */
async function createDuringCrashes(
  instances: Instances,
  cut?: () => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const responses = new Map<string, string>()
  const until = performance.now() + milliseconds
  let orders = 0
  const merchant = async (): Promise<void> => {
    while (performance.now() < until) {
      // A third repeats an earlier order: a reload, a double click, a second tab.
      const isRepeated = orders > 0 && Math.random() < 1 / 3
      const order = `T-${isRepeated ? Math.floor(Math.random() * orders) : orders++}`
      const response = await createUntilAcknowledged(instances, order, randomFault())
      expect(response).toBe(responses.get(order) ?? response)
      responses.set(order, response)
    }
  }
  const load = Promise.all(Array.from({ length: merchants }, merchant))
  // It is awaited after the crashes.
  load.catch(() => {})
  for (let round = 0; performance.now() < until; round++) {
    await sleep(300 + Math.random() * 300)
    if (cut && round % 3 === 2) {
      await cut()
      continue
    }
    const [victim, ...others] = instances.running
    instances.running = others
    await victim?.stop('SIGKILL')
    instances.running = [...others, await instances.start()]
  }
  await load
  return responses
}

/** Repeats every acknowledged create: the response has the same bytes. */
async function expectReplays(
  instances: Instances,
  responses: ReadonlyMap<string, string>,
): Promise<void> {
  const left = [...responses]
  const replay = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [order, response] = next
      expect(await createUntilAcknowledged(instances, order)).toBe(response)
    }
  }
  await Promise.all(Array.from({ length: merchants }, replay))
}

function randomFault(): string | undefined {
  return ['drop-after-commit', 'truncate-body', 'drop-before-commit'][
    Math.floor(Math.random() * 40)
  ]
}

/** @param fault - Injected into the first request. */
async function createUntilAcknowledged(
  instances: Instances,
  order: string,
  fault?: string,
): Promise<string> {
  const deadline = performance.now() + 60_000
  for (let attempt = 0; performance.now() < deadline; attempt++) {
    const response = await create(instances, order, attempt === 0 ? fault : undefined)
    if (response?.status === 201) return response.text
    if (response && JSON.parse(response.text).retryable !== true) {
      throw new Error(`A create was rejected with ${response.status}: ${response.text}`)
    }
    await sleep(20 + Math.random() * 80)
  }
  throw new Error('No instance acknowledged an order within 60 seconds')
}

/** @returns `undefined` if no complete response arrived. */
async function create({ running, apiKey }: Instances, order: string, fault?: string) {
  const instance = running[Math.floor(Math.random() * running.length)]
  if (!instance) return undefined
  try {
    const response = await fetch(`${instance.ready.baseUrl}/payment-intents`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': `key-${order}`,
        ...(fault && { 'sandbox-fault': fault }),
      },
      body: JSON.stringify({ amount: 150000, currency: 'AMD', orderId: order }),
      signal: AbortSignal.timeout(10_000),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}
