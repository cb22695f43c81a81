import { expect, test } from 'vitest'
import { insertIntent } from '../../src/intents/statements.ts'
import { createIntentStore } from '../../src/intents/store.ts'
import { newSecretKey } from '../../src/secret-keys.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { atEnd, connectTo, startPostgres } from '../support/lifetime.ts'
import { isReplay, order, startTestService } from '../support/service.ts'
import { hashes, newIntent } from '../support/store.ts'

const server = await startPostgres()
const { env } = server
const secretKey = env.PI_SECRET_KEY
const start = () => startTestService(env)
const instances = await Promise.all([start(), start(), start()])
const [one, two] = instances
const operator = await connectTo(server.url)
const environment = one.environmentId

async function newDatabase(name: string, options = ''): Promise<string> {
  await operator.query(`create database ${name} ${options}`)
  return server.url.replace(/postgres$/, name)
}

test('creates one schema, merchant, and API key if three instances start together', async () => {
  const { rows } = await operator.query('select merchant_name from environments, api_keys')
  expect(rows).toEqual([{ merchant_name: 'Tsiran' }])
  expect(new Set(instances.map(({ apiKey }) => apiKey)).size).toBe(1)
})

test('creates each intent once if instances send batches of the same keys in another order', async () => {
  const keys = Array.from({ length: 40 }, (_, index) => `crossing-${index}`)
  const sent = instances.flatMap((merchant, instance) =>
    (instance === 1 ? keys.toReversed() : keys).map(async (key) => {
      for (;;) {
        const response = await merchant.create(order, { 'idempotency-key': key })
        const text = await response.text()
        if (response.status === 201) return { isNew: !isReplay(response), text: `${key} ${text}` }
        // On a busy machine, the request or another one with the key did not end in time.
        expect(JSON.parse(text)).toMatchObject({ retryable: true })
      }
    }),
  )
  const responses = await Promise.all(sent)
  expect(responses.filter(({ isNew }) => isNew)).toHaveLength(keys.length)
  expect(new Set(responses.map(({ text }) => text)).size).toBe(keys.length)
})

test.each([
  ['no secret key', undefined, 'environment variable is not set. PostgreSQL stores require it'],
  ['another key', newSecretKey(), 'differs from the key that this store was created with'],
] as const)('rejects a start with %s', async (_, key, rule) => {
  const started = startTestService({ ...env, PI_SECRET_KEY: key })
  await expect(started).rejects.toThrow(`PI_SECRET_KEY: ${rule}`)
  await expect(started).rejects.not.toThrow(secretKey)
})

test('gives the key of a failed request to its waiting duplicate', async () => {
  const [db, first] = [await openPostgres(server.url), await connectTo(server.url)]
  atEnd(() => db.close())
  const { create } = createIntentStore({ db, now: () => new Date() })
  const draft = { intent: newIntent({ environmentId: environment }), key: hashes(99) }
  const { text, values } = insertIntent({ ...draft, intent: { ...draft.intent, id: 'pi_other' } })
  await first.query('begin')
  await first.query(text, [...values])
  const other = { intent: newIntent({ environmentId: environment }), key: hashes(98) }
  const results = await Promise.allSettled([create(draft), create(other)])
  const inUse = { reason: { code: 'idempotency_key_in_use' } }
  expect(results).toMatchObject([inUse, { value: { type: 'created' } }])
  const waiter = create(draft)
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock'`
  await expect.poll(async () => (await operator.query(waiting)).rowCount).toBe(1)
  await first.query('rollback')
  expect(await waiter).toMatchObject({ type: 'created' })
})

test('replays a create in a database with other defaults', async () => {
  const url = await newDatabase('other')
  await operator.query(`
    alter database other set timezone = 'Asia/Yerevan';
    alter database other set datestyle = 'SQL, DMY';
    alter database other set default_transaction_isolation = serializable`)
  const service = await startTestService({ ...env, PI_DATABASE_URL: url })
  const startedAt = Date.now()
  const key = { 'idempotency-key': 'other' }
  const responses = await Promise.all([1, 2, 3].map(() => service.create(order, key)))
  const texts = await Promise.all(responses.map((response) => response.text()))
  expect(new Set(texts).size).toBe(1)
  const createdAt = Date.parse(JSON.parse(String(texts[0])).createdAt)
  expect([createdAt >= startedAt, createdAt <= Date.now()]).toEqual([true, true])
})

test('rejects a database that is not encoded in UTF-8, with the fix', async () => {
  const url = await newDatabase('latin', "encoding 'LATIN1' template template0")
  await expect(openPostgres(url)).rejects.toThrow(
    'PI_DATABASE_URL: the encoding of the database must be UTF8. Create one with `createdb',
  )
})

test('uses a clock that another instance has set within seconds', async () => {
  const clock = `/environments/${environment}/clock`
  const { id } = await one.created()
  await one.control('PUT', clock, { offset: 25 * 3600_000 })
  await expect.poll(() => two.statusOf(id), { timeout: 10_000 }).toBe('expired')
  await one.control('DELETE', clock)
})

test('returns 504 if a statement runs out of time, and commits its retry once', async () => {
  const { id } = await one.created()
  const key = { 'idempotency-key': 'out-of-time' }
  const locking = await connectTo(server.url)
  await locking.query('begin; lock table intents in access exclusive mode')
  const responses: Response[] = []
  const requests = Promise.all([
    one.create(order, key).then((response) => responses.push(response)),
    one.retrieve(id).then((response) => responses.push(response)),
  ])
  const cancel = async (): Promise<number> => {
    await operator.query(`
      select pg_cancel_backend(pid) from pg_stat_activity
       where wait_event_type = 'Lock' and query like '%intents%'`)
    return responses.length
  }
  await expect.poll(cancel).toBe(2)
  await requests
  for (const response of responses) {
    expect([response.status, response.headers.get('retry-after')]).toEqual([504, '1'])
    expect(await response.json()).toMatchObject({ code: 'timeout', retryable: true })
  }
  await locking.query('rollback')
  expect((await one.create(order, key)).status).toBe(201)
})
