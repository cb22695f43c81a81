import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { type Database, openPool } from '../../src/db/database.ts'
import { isOneRowsFault, StoreError } from '../../src/db/errors.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { type Created, createBatch } from '../../src/intents/create.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'
import { openStore } from '../../src/start/open-store.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { control } from '../support/sandbox.ts'
import {
  create,
  created,
  isReplay,
  order,
  retrieve,
  startTestService,
  statusOf,
} from '../support/service.ts'
import { hashes, newIntent, observed } from '../support/store.ts'

const server = await startPostgres()
const { env } = server
const secretKeys = env.PI_SECRET_KEYS
const instances = await Promise.all([
  startTestService(env),
  startTestService(env),
  startTestService(env),
])
const [one] = instances
const apiKeys = instances.map(({ ready }) => ready.apiKey)
const { apiKey } = one
const merchants = instances.map(({ url }) => ({ url, apiKey }))
const db = await open(openPostgres(server.url))
const [environment] = await db.query<{ id: string }>`select id from environments limit 1`
const environmentId = String(environment?.id)

async function open(opening: Promise<Database>): Promise<Database> {
  const opened = await opening
  atEnd(() => opened.close())
  return opened
}

/** Opens a store whose sessions have these options. */
async function openWith(options: string): Promise<Database> {
  return await open(
    Promise.resolve(openPool({ connectionString: server.url, options, max: 10 }, 'postgres')),
  )
}

/** Creates another database on the same server. */
async function newDatabase(name: string, options = ''): Promise<string> {
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query(`create database ${name} ${options}`)
  await client.end()
  return server.url.replace(/postgres$/, name)
}

/** Returns how many statements wait for another transaction. */
async function waiting(store: Database): Promise<number> {
  const found = await store.query`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  return found.length
}

test('creates one schema, merchant, and API key if three instances start together', async () => {
  const migrations = readdirSync(new URL('../../src/db/migrations', import.meta.url))
  expect(await db.query`select from migrations`).toHaveLength(migrations.length)
  expect(await db.query`select name from merchants`).toEqual([{ name: 'Tsiran' }])
  expect(apiKeys).toEqual([apiKey, apiKey, apiKey])
  expect(await db.query`select from api_keys`).toHaveLength(1)
})

test('creates each intent once if instances send batches of the same keys in another order', async () => {
  const keys = Array.from({ length: 100 }, (_, index) => `crossing-${index}`)
  const sent = merchants.flatMap((merchant, instance) =>
    (instance === 1 ? keys.toReversed() : keys).map(async (key) => {
      for (;;) {
        const response = await create(merchant, order, { 'idempotency-key': key })
        const text = await response.text()
        if (response.status === 201) return { isNew: !isReplay(response), text: `${key} ${text}` }
        // On a busy machine, the request or another one with the key did not end in time.
        expect(JSON.parse(text)).toMatchObject({ retryable: true })
      }
    }),
  )
  const responses = await Promise.all(sent)
  expect(responses.filter(({ isNew }) => isNew)).toHaveLength(100)
  expect(new Set(responses.map(({ text }) => text)).size).toBe(100)
})

test('loses no acknowledged intent when database connections are cut', async () => {
  const acknowledged = new Map<string, string>()
  let isCutting = true
  const workers = merchants.flatMap((merchant, instance) =>
    ['a', 'b', 'c'].map(async (name) => {
      for (let number = 0; isCutting; number++) {
        const key = `cut-${instance}-${name}-${number}`
        const response = await create(merchant, order, { 'idempotency-key': key })
        const text = await response.text()
        if (response.status === 201) acknowledged.set(key, text)
        else expect(response.status).toBe(503)
      }
    }),
  )
  for (let round = 0; round < 5; round++) {
    const before = acknowledged.size
    await expect.poll(() => acknowledged.size).toBeGreaterThan(before)
    await db.query`
      select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and backend_type = 'client backend'`
  }
  isCutting = false
  await Promise.all(workers)
  await Promise.all(
    [...acknowledged].map(async ([key, text]) => {
      const replay = await create(one, order, { 'idempotency-key': key })
      expect(await replay.text()).toBe(text)
    }),
  )
})

test.each([
  ['no secret keys', undefined, 'environment variable is not set. PostgreSQL stores require it'],
  ['another key under a known id', newSecretKeys(), 'key k1 differs from the key'],
  ['a missing key', newSecretKeys().replace('k1', 'k9'), 'key k1 is missing, but rows'],
] as const)('rejects a start with %s', async (_, keys, rule) => {
  const start = openStore({ store: { kind: 'postgres', url: server.url }, secretKeys: keys })
  await expect(start).rejects.toThrow(`PI_SECRET_KEYS: ${rule}`)
  await expect(start).rejects.not.toThrow(secretKeys.slice(3))
})

test('rejects the second of two simultaneous starts with different keys under one id', async () => {
  const url = await newDatabase('racing')
  const racing = await open(openPostgres(url))
  await migrate(racing)
  const other = readSecretKeys(newSecretKeys()).checkValue('k1') ?? null
  const second = await racing.transaction(async (tx) => {
    await tx.query`insert into secret_keys (kid, check_value) values ('k1', ${other})`
    const start = openStore({ store: { kind: 'postgres', url }, secretKeys: newSecretKeys() })
    start.catch(() => {})
    await expect.poll(async () => await waiting(racing)).toBe(1)
    return { start }
  })
  await expect(second.start).rejects.toThrow('PI_SECRET_KEYS: key k1 differs from the key')
  expect(await racing.query`select from secret_keys`).toHaveLength(1)
})

test('fails creates on a locked table after few waits', async () => {
  const hasty = await openWith('-c lock_timeout=50')
  let inserts = 0
  const create = createBatch(observed(hasty, () => inserts++))
  // The first one is sent alone; of the others every second one has a key.
  const drafts = Array.from({ length: 25 }, (_, index) => ({
    intent: newIntent({ environmentId }),
    key: index % 2 === 1 ? hashes(100 + index) : undefined,
  }))
  const results = await hasty.transaction(async (tx) => {
    // As `create index` in a migration takes it.
    await tx.query`lock table intents in share mode`
    return await Promise.allSettled(drafts.map(create))
  })
  expect(inserts).toBe(4)
  const [first, second, ...others] = results
  expect(second).toEqual({ status: 'fulfilled', value: { type: 'in_use' } })
  for (const result of [first, ...others]) {
    expect(result).toMatchObject({ reason: { code: '55P03', unavailable: true } })
  }
  for (const draft of drafts) expect(await create(draft)).toMatchObject({ type: 'created' })
})

test('gives the key of a failed request to its waiting duplicate', async () => {
  const hasty = await openWith('-c lock_timeout=50')
  const first = { intent: newIntent({ environmentId }), key: hashes(99) }
  const duplicate = { intent: newIntent({ environmentId }), key: hashes(99) }
  const failed = db.transaction(async (tx) => {
    await createBatch({ ...db, ...tx })(first)
    expect(await createBatch(hasty)(duplicate)).toEqual({ type: 'in_use' })
    const waiter = createBatch(db)(duplicate)
    await expect.poll(async () => await waiting(hasty)).toBe(1)
    throw Object.assign(new Error('killed'), { waiter })
  })
  const { waiter } = (await failed.catch((error: unknown) => error)) as {
    waiter: Promise<Created>
  }
  expect(await waiter).toMatchObject({ type: 'created' })
  expect(await db.query`select from intents where id = ${first.intent.id}`).toHaveLength(0)
})

test('blames the store and not a row for a failed login, database, or connection', async () => {
  const missing = server.url.replace(/postgres$/, 'nowhere')
  await expect(openPostgres(missing)).rejects.toMatchObject({ code: '3D000', unavailable: true })
  const isRowAtFault = (code: string): boolean => isOneRowsFault(new StoreError(code))
  expect(['EPIPE', 'ECONNRESET', '28P01', '57P01', '25006'].filter(isRowAtFault)).toEqual([])
  expect(['23503', '22P02', '42501'].filter(isRowAtFault)).toHaveLength(3)
})

test('adds options of the database URL to the settings of a session', async () => {
  const options = encodeURIComponent('-c timezone=Asia/Yerevan -c work_mem=1234kB')
  const named = await open(openPostgres(`${server.url}?options=${options}&application_name=shop`))
  const [settings] = await named.query`
    select current_setting('timezone') as zone, current_setting('lock_timeout') as "lockTimeout",
           current_setting('work_mem') as memory, current_setting('application_name') as name`
  expect(settings).toEqual({ zone: 'UTC', lockTimeout: '2s', memory: '1234kB', name: 'shop' })
})

test('replays a create in a database with other defaults', async () => {
  const url = await newDatabase('other')
  await db.script(`
    alter database other set timezone = 'Asia/Yerevan';
    alter database other set datestyle = 'SQL, DMY';
    alter database other set default_transaction_isolation = serializable`)
  const service = await startTestService({ ...env, PI_DATABASE_URL: url })
  const startedAt = Date.now()
  const key = { 'idempotency-key': 'other' }
  const responses = await Promise.all([1, 2, 3].map(() => create(service, order, key)))
  const texts = await Promise.all(responses.map((response) => response.text()))
  expect(new Set(texts).size).toBe(1)
  const { createdAt } = JSON.parse(String(texts[0])) as { createdAt: string }
  expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(startedAt)
  expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now())
})

test('rejects a URL with several hosts, with the fix', async () => {
  for (const url of [
    'postgres://pi:secret@one:5432,two:5432/pi?target_session_attrs=read-write',
    'postgres://pi:secret@/pi?host=one,two',
  ]) {
    const rejected = openPostgres(url)
    await expect(rejected).rejects.toThrow(/^PI_DATABASE_URL: must name one host\. Use an address/)
    await expect(rejected).rejects.not.toThrow('secret')
  }
})

test('rejects a database that is not encoded in UTF-8, with the fix', async () => {
  const url = await newDatabase('latin', "encoding 'LATIN1' template template0")
  await expect(openPostgres(url)).rejects.toThrow(
    'PI_DATABASE_URL: the encoding of the database must be UTF8. Create one with `createdb',
  )
})

test('rejects a search_path without a schema, with the fix', async () => {
  const options = encodeURIComponent('-c search_path=missing')
  await expect(openPostgres(`${server.url}?options=${options}`)).rejects.toThrow(
    /^PI_DATABASE_URL: the search_path of the role leads to no schema\. Create one/,
  )
})

test('fails a statement after twelve seconds without a reply, but no migration', async () => {
  const { port } = new URL(server.url)
  let isSilent = false
  const proxy = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1')
    near.on('data', (part) => far.write(part)).on('error', () => {})
    // The server's messages are lost, and the end of the connection too.
    far.on('data', (part) => isSilent || near.write(part)).on('error', () => {})
  }).listen(0, '127.0.0.1')
  atEnd(() => proxy.close())
  await once(proxy, 'listening')
  const through = server.url.replace(port, String((proxy.address() as AddressInfo).port))
  const slow = await open(openPostgres(through))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  atEnd(() => vi.useRealTimers())
  isSilent = true
  const result = slow.query`select 1 as one`
  result.catch(() => {})
  await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(12_000)
  await expect(result).rejects.toMatchObject({ code: 'connection_lost', unavailable: true })
  isSilent = false
  expect(await slow.query`select 1 as one`).toEqual([{ one: 1 }])

  const migration = slow.script('select pg_sleep(0.1)')
  await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(600_000)
  await migration
})

test('uses a clock that another instance has set within seconds', async () => {
  const clock = `/environments/${environmentId}/clock`
  const { id } = await created(one)
  await control(one, 'PUT', clock, { offset: 25 * 3600_000 })
  const other = { url: instances[1].url, apiKey }
  await expect.poll(() => statusOf(other, id), { timeout: 10_000 }).toBe('expired')
  await control(one, 'DELETE', clock)
})

test('returns 504 if a statement runs out of time, and commits its retry once', async () => {
  const { id } = await created(one)
  const key = { 'idempotency-key': 'out-of-time' }
  await db.transaction(async (tx) => {
    await tx.query`lock table intents in access exclusive mode`
    const responses: Response[] = []
    const requests = Promise.all([
      create(one, order, key).then((response) => responses.push(response)),
      retrieve(one, id).then((response) => responses.push(response)),
    ])
    const cancel = async (): Promise<number> => {
      await db.query`
        select pg_cancel_backend(pid) from pg_stat_activity
         where wait_event_type = 'Lock' and query like '%intents%'`
      return responses.length
    }
    await expect.poll(cancel).toBe(2)
    await requests
    for (const response of responses) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([504, '1'])
      expect(await response.json()).toMatchObject({ code: 'timeout', retryable: true })
    }
  })
  expect((await create(one, order, key)).status).toBe(201)
})

// Last: the rows need the new key from then on.
test('keeps replays and API keys after a rotation, and hashes a used API key again', async () => {
  const key = { 'idempotency-key': 'before-rotation' }
  const stored = await (await create(one, order, key)).text()
  const rotatedKeys = `${newSecretKeys().replace('k1', 'k2')},${secretKeys}`
  const { url } = await startTestService({ ...env, PI_SECRET_KEYS: rotatedKeys })
  const rotated = { url, apiKey }
  expect(await (await create(rotated, order, key)).text()).toBe(stored)
  expect((await create(rotated)).status).toBe(201)
  expect(await db.query`select kid from secret_keys order by kid`).toEqual([
    { kid: 'k1' },
    { kid: 'k2' },
  ])
  expect(await db.query`select distinct pepper_kid as kid from api_keys`).toEqual([{ kid: 'k2' }])
})
