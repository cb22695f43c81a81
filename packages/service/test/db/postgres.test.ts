import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { startTemporaryPostgres, type TemporaryPostgres } from '@pi-checkout/test-support/postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Database, openPool, type SqlValue } from '../../src/db/database.ts'
import { isOneRowsFault, StoreError } from '../../src/db/errors.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { randomBase62, randomSalt } from '../../src/ids.ts'
import { type CreateResult, createBatch, type NewIntent } from '../../src/intents/create-batch.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'
import { openStore } from '../../src/start/open-store.ts'
import { command, type ServiceProcess, startProcess } from '../support/process.ts'
import { create, order, retrieve } from '../support/service.ts'

let server: TemporaryPostgres
let instances: ServiceProcess[]
let apiKey: string
const secretKeys = newSecretKeys()
const migrations = readdirSync(new URL('../../src/db/migrations', import.meta.url))

function environment(keys = secretKeys): NodeJS.ProcessEnv {
  return { PI_DATABASE_URL: server.url, PI_SECRET_KEYS: keys }
}

beforeAll(async () => {
  server = await startTemporaryPostgres({ fsync: 'off' })
  instances = await Promise.all([1, 2, 3].map(() => startProcess([], environment())))
  const keys = instances.map(({ ready }) => ready.apiKey).filter((key) => key !== null)
  apiKey = String(keys[0])
})

afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.stop()))
  await server.stop()
})

function at(index: number): { url: string; apiKey: string } {
  return { url: String(instances[index % instances.length]?.url), apiKey }
}

test('three instances that start together make one schema, one first merchant and one key', async () => {
  const db = await openPostgres(server.url)
  expect(await db.query`select from migrations`).toHaveLength(migrations.length)
  expect(await db.query`select name from merchants`).toEqual([{ name: 'Demo Shop' }])
  expect(instances.filter(({ ready }) => ready.apiKey !== null)).toHaveLength(1)
  await db.close()
})

test('parallel creates with one key over three instances make one intent', async () => {
  const key = { 'idempotency-key': 'over-instances' }
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => create(at(index), order, key)),
  )
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect(new Set(texts).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(
    1,
  )
})

test('crossing batches of the same keys never lock each other out', async () => {
  const keys = Array.from({ length: 100 }, (_, index) => `crossing-${index}`)
  const answers = await Promise.all(
    [0, 1, 2].flatMap((instance) =>
      (instance === 1 ? keys.toReversed() : keys).map(async (key) => {
        const answer = await create(at(instance), order, { 'idempotency-key': key })
        const { id } = (await answer.json()) as { id: string }
        return { status: answer.status, key, id }
      }),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ key, id }) => `${key} ${id}`)).size).toBe(100)
})

test('what one instance makes, every other retrieves', async () => {
  const intent = (await (await create(at(0))).json()) as { id: string; clientSecret: string }
  const { clientSecret: _, ...seen } = intent
  for (const index of [1, 2]) {
    expect(await (await retrieve(at(index), intent.id)).json()).toEqual(seen)
  }
})

test('cut database connections cost no acknowledged intent', async () => {
  const db = await openPostgres(server.url)
  const acknowledged = new Map<string, string>()
  const load = Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 3))
      const key = `cut-${index}`
      const answer = await create(at(index), order, { 'idempotency-key': key })
      const text = await answer.text()
      if (answer.status === 201) acknowledged.set(key, text)
      else expect(answer.status).toBe(503)
    }),
  )
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    await db.query`
      select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and backend_type = 'client backend'`
  }
  await load
  await db.close()
  expect(acknowledged.size).toBeGreaterThan(0)
  for (const [key, text] of acknowledged) {
    const replay = await create(at(1), order, { 'idempotency-key': key })
    expect(await replay.text()).toBe(text)
  }
})

test('a revoked key stops everywhere within five seconds', async () => {
  const made = await command(
    ['keys', 'create', '--merchant', 'Leaky', '--environment', 'test', '--json'],
    environment(),
  )
  const { id, apiKey: leaked } = JSON.parse(made.out) as { id: string; apiKey: string }
  for (const { url } of instances) {
    expect((await create({ url, apiKey: leaked })).status).toBe(201)
  }
  expect((await command(['keys', 'revoke', id], environment())).status).toBe(0)
  for (const { url } of instances) {
    const status = async () => (await create({ url, apiKey: leaked })).status
    await expect.poll(status, { timeout: 6000, interval: 200 }).toBe(401)
  }
})

test('PostgreSQL without PI_SECRET_KEYS, or with another key under a known id, is refused', async () => {
  const without = await command(['start', '--port', '0'], environment(''))
  expect(without.error).toContain(
    'PI_SECRET_KEYS: environment variable is not set. PostgreSQL stores require it',
  )
  const other = await command(['start', '--port', '0'], environment(newSecretKeys()))
  expect(other.error).toContain('key k1 differs from the key')
  expect(other.error).not.toContain(secretKeys.slice(3))
  const gone = await command(
    ['start', '--port', '0'],
    environment(newSecretKeys().replace('k1', 'k9')),
  )
  expect(gone.error).toContain('key k1 is missing, but rows of this store need it')
})

test('a locked table is 503 after a few waits, however many requests wait; only a key may be in use', async () => {
  const patient = { connectionString: server.url, options: '-c lock_timeout=50' }
  const db = openPool({ ...patient, max: 10 }, 'postgres')
  const [environment] = await db.query<{ id: string }>`select id from environments limit 1`
  let inserts = 0
  const counted: Database = {
    ...db,
    query: async <Row>(text: TemplateStringsArray, ...values: readonly SqlValue[]) => {
      inserts++
      return await db.query<Row>(text, ...values)
    },
  }
  const make = createBatch(counted)
  // The first one leaves alone; of the others every second one has a key.
  const drafts = Array.from({ length: 25 }, (_, at) =>
    draftOf(String(environment?.id), at % 2 === 1 ? randomSalt(32).toString('hex') : undefined),
  )
  const results = await db.transaction(async (tx) => {
    // As `create index` in a migration takes it.
    await tx.query`lock table payment_intents in share mode`
    return await Promise.allSettled(drafts.map(make))
  })
  expect(inserts).toBe(4)
  const refused = { code: '55P03', unavailable: true }
  expect(results[0]).toMatchObject({ status: 'rejected', reason: refused })
  expect(results[1]).toEqual({ status: 'fulfilled', value: { type: 'in_use' } })
  for (const result of results.slice(2)) {
    expect(result).toMatchObject({ status: 'rejected', reason: refused })
  }
  for (const draft of drafts) expect(await make(draft)).toEqual({ type: 'created' })
  await db.close()
})

/** A create as the API hands it to the store. */
function draftOf(environmentId: string, hash?: string): NewIntent {
  return {
    id: `pi_${randomBase62(24)}`,
    environmentId,
    secretKid: 'k1',
    secretSalt: randomSalt(16),
    body: { amount: 1, currency: 'EUR', orderId: 'A-1001' },
    createdAt: new Date(),
    ...(hash !== undefined && { idempotency: { hash, fingerprint: hash } }),
  }
}

test('while the first request with a key is being written its duplicates wait; one that dies leaves the key to them', async () => {
  const db = await openPostgres(server.url)
  const hasty = openPool(
    { connectionString: server.url, options: '-c lock_timeout=50', max: 2 },
    'postgres',
  )
  const [environment] = await db.query<{ id: string }>`select id from environments limit 1`
  const first = draftOf(String(environment?.id), randomSalt(32).toString('hex'))
  const duplicate = { ...first, id: `pi_${randomBase62(24)}` }
  const dies = db.transaction(async (tx) => {
    await createBatch({ ...db, ...tx })(first)
    expect(await createBatch(hasty)(duplicate)).toEqual({ type: 'in_use' })
    const waiter = createBatch(db)(duplicate)
    await expect.poll(async () => await waiting(hasty)).toBe(1)
    throw Object.assign(new Error('killed'), { waiter })
  })
  const { waiter } = (await dies.catch((error: unknown) => error)) as {
    waiter: Promise<CreateResult>
  }
  expect(await waiter).toEqual({ type: 'created' })
  expect(await db.query`select from payment_intents where id = ${first.id}`).toHaveLength(0)
  await Promise.all([db.close(), hasty.close()])
})

test('a server that only lets itself be read is 503 for a create, and reads go on', async () => {
  const options = '-c default_transaction_read_only=on'
  const db = openPool({ connectionString: server.url, options, max: 1 }, 'postgres')
  const [environment] = await db.query<{ id: string }>`select id from environments limit 1`
  await expect(createBatch(db)(draftOf(String(environment?.id)))).rejects.toMatchObject({
    code: '25006',
    unavailable: true,
  })
  await db.close()
})

test('a login, a database or a connection that fails is the store that is away, never a fault of a row', async () => {
  const missing = server.url.replace(/postgres$/, 'nowhere')
  await expect(openPostgres(missing)).rejects.toMatchObject({ code: '3D000', unavailable: true })
  for (const code of ['EPIPE', 'ECONNRESET', '28P01', '57P01', '25006']) {
    expect(isOneRowsFault(new StoreError(code))).toBe(false)
  }
  for (const code of ['23503', '22P02', '42501']) {
    expect(isOneRowsFault(new StoreError(code))).toBe(true)
  }
})

/** Makes another database on the same server. */
async function newDatabase(name: string, options = ''): Promise<string> {
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query(`create database ${name} ${options}`)
  await client.end()
  return server.url.replace(/postgres$/, name)
}

test('of two starts with different keys under one id, at the same moment, the second is refused', async () => {
  const url = await newDatabase('racing')
  const db = await openPostgres(url)
  await migrate(db)
  const other = readSecretKeys(newSecretKeys()).checkValue('k1') ?? null
  const second = await db.transaction(async (tx) => {
    await tx.query`insert into secret_keys (kid, check_value) values ('k1', ${other})`
    const start = openStore({ store: { kind: 'postgres', url }, secretKeys: newSecretKeys() })
    start.catch(() => {})
    await expect.poll(async () => await waiting(db)).toBe(1)
    return { start }
  })
  await expect(second.start).rejects.toThrow('PI_SECRET_KEYS: key k1 differs from the key')
  expect(await db.query`select from secret_keys`).toHaveLength(1)
  await db.close()
})

/** How many statements wait for another transaction. */
async function waiting(db: Database): Promise<number> {
  const found = await db.query`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  return found.length
}

test('options in the database URL add to the settings of a session and take none away', async () => {
  const options = encodeURIComponent('-c timezone=Asia/Yerevan -c work_mem=1234kB')
  const db = await openPostgres(`${server.url}?options=${options}&application_name=shop`)
  const [settings] = await db.query`
    select current_setting('timezone') as zone, current_setting('lock_timeout') as "lockTimeout",
           current_setting('work_mem') as memory, current_setting('application_name') as name`
  expect(settings).toEqual({ zone: 'UTC', lockTimeout: '2s', memory: '1234kB', name: 'shop' })
  await db.close()
})

test('rejects a database that is not encoded in UTF-8, with the fix', async () => {
  const url = await newDatabase('latin', "encoding 'LATIN1' template template0")
  await expect(openPostgres(url)).rejects.toThrow(
    'PI_DATABASE_URL: the encoding of the database must be UTF8. Create one with `createdb',
  )
})

test('a server that has become silent fails its statement after twelve seconds, and the next one is sent anew; a migration may take its time', async () => {
  const { port } = new URL(server.url)
  let silent = false
  const proxy = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1')
    near.on('data', (part) => far.write(part)).on('error', () => {})
    // The server's messages are lost, and the end of the connection too.
    far.on('data', (part) => silent || near.write(part)).on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = server.url.replace(port, String((proxy.address() as AddressInfo).port))
  const db = await openPostgres(through)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    silent = true
    const answer = db.query`select 1 as one`
    answer.catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(12_000)
    await expect(answer).rejects.toMatchObject({ code: 'connection_lost', unavailable: true })
    silent = false
    expect(await db.query`select 1 as one`).toEqual([{ one: 1 }])

    const migrating = db.script('select pg_sleep(0.1)')
    await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(600_000)
    await migrating
  } finally {
    vi.useRealTimers()
  }
  await db.close()
  proxy.close()
})

test('the doctor reports a database that does not sync, and missing keys', async () => {
  const examined = await command(['doctor', '--port', '0'], environment(''))
  expect(examined.status).toBe(1)
  expect(examined.out).toContain('a power cut may lose acknowledged intents')
  expect(examined.out).toContain('FAIL  secret keys: PI_SECRET_KEYS is not set')
  expect((await command(['doctor', '--port', '0'], environment())).status).toBe(0)
})

test('after a rotation old keys, secrets and replays still hold', async () => {
  const key = { 'idempotency-key': 'before-rotation' }
  const first = await create(at(0), order, key)
  const rotated = await startProcess(
    ['--port', '0'],
    environment(`${newSecretKeys().replace('k1', 'k2')},${secretKeys}`),
  )
  const own = { url: rotated.url, apiKey }
  const replay = await create(own, order, key)
  expect(await replay.text()).toBe(await first.text())
  expect((await create(own)).status).toBe(201)
  await rotated.stop()

  const db = await openPostgres(server.url)
  const kids = await db.query<{ kid: string }>`select kid from secret_keys order by kid`
  expect(kids.map(({ kid }) => kid)).toEqual(['k1', 'k2'])
  const peppers = await db.query<{ kid: string }>`
    select pepper_kid as kid from api_keys k join environments e on e.id = environment_id
      join merchants m on m.id = merchant_id where m.name = 'Demo Shop'`
  expect(peppers).toEqual([{ kid: 'k2' }])
  await db.close()
})
