import { createClient } from '@libsql/client'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import * as kysely from 'kysely'
import Database from 'libsql'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  memoryPayments,
  type PaymentStore,
  type SqlQuery,
  sqlPayments,
  sqlPaymentsTable,
} from '../../src/index.ts'
import { paymentStoreCases } from '../../src/testing/fake-service.ts'
import { orderId, shop } from './shop.ts'

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

  test.skipIf(!store)('an order has one intent, which pays for it', async () => {
    const { intent, phase, service, later } = shop({ payments: store as PaymentStore })
    const id = await intent()
    expect(await intent()).toBe(id)
    expect(await later()).toEqual({ orders: 1, errors: 0 })
    service.settle(id, 'succeeded')
    expect(await phase()).toBe('paid')
  })
})

const loading = (change: (text: string | undefined) => unknown): PaymentStore => {
  const store = memoryPayments()
  return { ...store, load: async (...id) => change(await store.load(...id)) as string }
}

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
  'null for no row': loading((text) => text ?? null),
  'the text of another scope': loading((text) => text?.replace('"test ', '"live ')),
  'the text of another order': loading((text) => text?.replace(orderId, 'A-1002')),
  'another text': loading((text) => text?.replace('"payments":', '"paid":')),
}

test.each(Object.entries(changes))(
  'nothing of a store that returns %s is handed out',
  async (_, payments) => {
    const { intent, errors } = shop({ payments })
    expect(await intent()).toMatch(/^(?:payment_unavailable|internal_error)$/)
    expect(String(errors[0])).toMatch(/(?:sqlPayments|payments\.load): .*must .*; received /)
    expect(String(errors[0])).not.toContain('pi_')
  },
)

test.each([
  ['nothing', undefined],
  ['numbers', [1001]],
  ['empty texts', ['']],
])('a run finds a store whose due returns %s', async (_, found) => {
  const due = (() => found) as unknown as PaymentStore['due']
  const { intent, later } = shop({ payments: { ...memoryPayments(), due } })
  await intent()
  await expect(later()).rejects.toThrow(/^payments\.due: must return .*; received /)
})

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
