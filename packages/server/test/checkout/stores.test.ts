import { createClient } from '@libsql/client'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import * as kysely from 'kysely'
import Database from 'libsql'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkedDue, checkedRecord } from '../../src/checkout/checked-record.ts'
import {
  memoryPayments,
  type PaymentStore,
  type SqlQuery,
  sqlPayments,
  sqlPaymentsTable,
} from '../../src/index.ts'
import { paymentStoreCases } from '../../src/testing/fake-service.ts'

type Row = Record<string, unknown>

const closing: (() => unknown)[] = []
let url: string
let pool: pg.Pool

beforeAll(async () => {
  const server = await startTemporaryPostgres({ fsync: 'off' })
  url = server.url
  pool = new pg.Pool({ connectionString: url })
  // The server ends connections when it stops.
  pool.on('error', () => {})
  closing.push(
    () => pool.end(),
    () => server.stop(),
  )
  await pool.query(sqlPaymentsTable.postgres)
}, 60_000)

afterAll(async () => {
  for (const close of closing) await close()
})

/** A client that changes what node-postgres returns. */
const withPg = (change = (rows: Row[]): unknown => rows, config: object = {}): PaymentStore =>
  sqlPayments(async (text, values) => change((await pool.query({ text, values, ...config })).rows))
const withRows = (change: (row: Row) => unknown) => withPg((rows) => rows.map(change))
const withTexts = (change: (text: string) => unknown) =>
  withRows(({ record }) => ({ record: change(String(record)) }))

const withPostgresJs = (transform: object): PaymentStore => {
  let db: postgres.Sql | undefined
  closing.unshift(() => db?.end())
  return sqlPayments((sql, values) => {
    db ??= postgres(url, { transform, max: 4 })
    return db.unsafe(sql, values)
  })
}

const withKysely = (...plugins: kysely.KyselyPlugin[]): PaymentStore => {
  const dialect = new kysely.PostgresDialect({ pool: async () => pool })
  const db = new kysely.Kysely({ dialect, plugins })
  return sqlPayments(
    async (sql, values) => (await db.executeQuery(kysely.CompiledQuery.raw(sql, values))).rows,
  )
}

type Prepared = { all(...values: unknown[]): unknown }
const withSqlite = <D extends { exec(sql: string): unknown; prepare(sql: string): Prepared }>(
  db: D,
  prepare = (db: D, sql: string): Prepared => db.prepare(sql),
): PaymentStore => {
  db.exec(sqlPaymentsTable.sqlite)
  return sqlPayments((sql, values) => prepare(db, sql).all(...values), { dialect: 'sqlite' })
}

const libsqlClient = createClient({ url: ':memory:', intMode: 'bigint' })
await libsqlClient.executeMultiple(sqlPaymentsTable.sqlite)
const withLibsqlClient: SqlQuery = async (sql, args) =>
  (await libsqlClient.execute({ sql, args })).rows

/** A client that parses each text that is JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const { CamelCasePlugin: Camel, ParseJSONResultsPlugin: Parse } = kysely
const sqlite = process.getBuiltinModule?.('node:sqlite' as 'fs') as unknown as
  | { readonly DatabaseSync: new (path: string) => Database.Database }
  | undefined
const clients: Readonly<Record<string, PaymentStore | undefined>> = {
  'memoryPayments()': memoryPayments(),
  pg: withPg(),
  'pg, row arrays': withPg(undefined, { rowMode: 'array' }),
  'pg, bigint': withPg(undefined, {
    types: { getTypeParser: (oid: number) => (oid === 23 ? BigInt : String) },
  }),
  'pg, names in upper case': withRows(({ record }) => ({ RECORD: record })),
  'pg, parsed JSON': withTexts(parsed),
  'pg, trimmed texts': withTexts((text) => text.trim()),
  'postgres.js': withPostgresJs({}),
  'postgres.js, undefined as null': withPostgresJs({ undefined: null }),
  'postgres.js, camel': withPostgresJs(postgres.camel),
  'postgres.js, toCamel': withPostgresJs({ column: postgres.toCamel }),
  Kysely: withKysely(),
  'Kysely, camel': withKysely(new Camel()),
  'Kysely, camel without nested names': withKysely(new Camel({ maintainNestedObjectKeys: true })),
  'Kysely, camel from upper case': withKysely(new Camel({ upperCase: true })),
  'Kysely, parsed JSON': withKysely(new Parse()),
  'Kysely, parsed JSON in camel case': withKysely(new Parse(), new Camel()),
  libsql: withSqlite(new Database(':memory:')),
  'libsql, bigint': withSqlite(new Database(':memory:'), (db, sql) =>
    db.prepare(sql).safeIntegers(),
  ),
  'libsql, row arrays': withSqlite(new Database(':memory:'), (db, sql) => db.prepare(sql).raw()),
  '@libsql/client': sqlPayments(withLibsqlClient, { dialect: 'sqlite' }),
  'node:sqlite, from Node.js 22': sqlite && withSqlite(new sqlite.DatabaseSync(':memory:')),
}

describe.each(Object.entries(clients))('%s', (_, store) => {
  for (const { title, run } of paymentStoreCases) {
    test.skipIf(!store)(title, () => run(store as PaymentStore))
  }
})

const changes: Readonly<Record<string, PaymentStore>> = {
  'an object instead of rows': withPg((rows) => ({ rows })),
  'nothing instead of rows': withPg(() => undefined),
  'rows and their number': withPg((rows) => [rows, rows.length]),
  'values instead of rows': withRows(({ record }) => record),
  'no column': withRows(() => ({})),
  'another column': withRows((row) => ({ id: 1, ...row })),
  null: withTexts(() => null),
  bytes: withTexts((text) => Buffer.from(text)),
  'an object instead of a text': withTexts((text) => JSON.parse(text.slice(text.indexOf('{')))),
  'texts in lower case': withTexts((text) => text.toLowerCase()),
  'short texts': withTexts((text) => text.slice(0, 60)),
}

test.each(Object.entries(changes))('rejects a client that returns %s', async (_, store) => {
  const id = { scope: crypto.randomUUID(), orderId: 'A-1001' }
  const calls = [
    () => store.save({ ...id, revision: 1, checkAt: new Date(0), payments: [] }),
    async () => checkedRecord(await store.load(id.scope, id.orderId), id),
    () => store.due(id.scope, new Date(), 10),
  ]
  for (const call of calls) {
    const { name, message } = await Promise.resolve(call()).then(String, (error) => error)
    expect(name).toBe('TypeError')
    expect(message).toMatch(/^(?:sqlPayments|payments\.(?:load|due)): .* must .*; received /)
    expect(message).not.toMatch(/A-1001/i)
  }
})

const asked = { scope: 'shop test', orderId: 'A-1001' }
const payment = {
  intentId: 'pi_1',
  version: '150000 AMD',
  attempt: 1,
  amount: 150000,
  currency: 'AMD',
  state: 'open',
  createdAt: '2026-01-01T12:00:00.000Z',
  handedAt: '2026-01-01T12:00:00.000Z',
}

test.each<[rule: string, changes: object, paymentChanges?: object]>([
  ['scope', { scope: 'shop live' }],
  ['orderId', { orderId: undefined, order_id: 'A-1001' }],
  ['orderId', { orderId: 'a-1001' }],
  ['revision', { revision: '1' }],
  ['revision', { revision: 0 }],
  ['checkAt', { checkAt: '2026-01-01T12:00:00.000Z' }],
  ['checkAt', { checkAt: undefined }],
  ['checkAt', { checkAt: new Date(Number.NaN) }],
  ['payments', { payments: '[]' }],
  ['each payment', { payments: [null] }],
  ['intentId', {}, { intentId: undefined, intent_id: 'pi_1' }],
  ['state', {}, { state: '' }],
  ['handedAt', {}, { handedAt: new Date(0) }],
  ['attempt', {}, { attempt: '1' }],
  ['amount', {}, { amount: 150000n }],
  ['amount', {}, { amount: 2 ** 53 }],
  ['absent', {}, { leaseUntil: null }],
])('rejects a record whose %s a store changed, without its values', (rule, changes, ofPayment) => {
  const payments = [payment, { ...payment, ...ofPayment }]
  const stored = { ...asked, revision: 1, checkAt: new Date(0), payments, ...changes }
  const check = () => checkedRecord(stored, asked)
  expect(check).toThrow(new RegExp(`^payments\\.load: .*${rule}.*; received .*\\. Return`))
  expect(check).toThrow(TypeError)
  expect(check).not.toThrow(/A-1001|pi_1|2026|150000/i)
})

test.each([undefined, { rows: [] }, 'A-1001', [undefined], ['A-1001', 7], [''], [{ id: 'A' }]])(
  'rejects %j instead of order ids',
  (ids) => {
    expect(() => checkedDue(ids)).toThrow(/^payments\.due: .*must .*; received .*\. Return/)
  },
)

test('rejects an unknown dialect', () => {
  expect(() => sqlPayments(() => [], { dialect: 'mysql' as never })).toThrow(/^dialect: must be/)
})

test('memoryPayments() warns once in production', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  // Another test may have been warned.
  vi.resetModules()
  const { memoryPayments: inNewProcess } = await import('../../src/checkout/memory-payments.ts')
  inNewProcess()
  inNewProcess()
  expect(warn).toHaveBeenCalledOnce()
  warn.mockRestore()
  vi.unstubAllEnvs()
})
