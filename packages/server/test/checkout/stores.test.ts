import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import Database from 'libsql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  memoryPayments,
  type PaymentStore,
  sqlPayments,
  sqlPaymentsTable,
} from '../../src/index.ts'
import { paymentStoreCases } from '../../src/testing/fake-service.ts'

const closing: (() => unknown)[] = []
const stores: Record<string, PaymentStore> = { 'memoryPayments()': memoryPayments() }

beforeAll(async () => {
  const postgres = await startTemporaryPostgres({ fsync: 'off' })
  const pool = new pg.Pool({ connectionString: postgres.url })
  closing.push(
    () => pool.end(),
    () => postgres.stop(),
  )
  // The server ends connections when it stops.
  pool.on('error', () => {})
  await pool.query(sqlPaymentsTable.postgres)
  stores['sqlPayments() on PostgreSQL'] = sqlPayments(
    async (sql, values) => (await pool.query(sql, values)).rows,
  )
  const sqlite = new Database(':memory:')
  closing.push(() => sqlite.close())
  sqlite.exec(sqlPaymentsTable.sqlite)
  stores['sqlPayments() on SQLite'] = sqlPayments(
    (sql, values) => sqlite.prepare(sql).all(...values),
    { dialect: 'sqlite' },
  )
}, 60_000)

afterAll(async () => {
  for (const close of closing) await close()
})

describe.each(['memoryPayments()', 'sqlPayments() on PostgreSQL', 'sqlPayments() on SQLite'])(
  '%s',
  (name) => {
    for (const { title, run } of paymentStoreCases) {
      test(title, () => run(stores[name] as PaymentStore))
    }
  },
)

const memory = memoryPayments()
const broken: Readonly<Record<string, PaymentStore>> = {
  'ignores its condition': {
    ...memory,
    save: async (record) => {
      const stored = await memory.load(record.scope, record.orderId)
      return memory.save({ ...record, revision: (stored?.revision ?? 0) + 1 })
    },
  },
  'acknowledges a write and loses it': { ...memory, save: () => true },
  'reads before it writes': {
    ...memory,
    save: async (record) => {
      const stored = await memory.load(record.scope, record.orderId)
      if ((stored?.revision ?? 0) !== record.revision - 1) return false
      await new Promise(setImmediate)
      await memory.save({ ...record, revision: 1 })
      return true
    },
  },
}

test.each(Object.entries(broken))('the cases find a store that %s', async (_, store) => {
  const results = await Promise.allSettled(paymentStoreCases.map(({ run }) => run(store)))
  expect(results.filter(({ status }) => status === 'rejected')).not.toEqual([])
})

test('rejects a query function that does not return rows, and an unknown dialect', async () => {
  const payments = sqlPayments(async () => ({ rows: [] }))
  await expect(payments.load('scope', 'A-1001')).rejects.toThrow(/^sqlPayments: .* as an array/)
  expect(() => sqlPayments(() => [], { dialect: 'mysql' as never })).toThrow(/^dialect: must be/)
})

test('memoryPayments() warns in production', () => {
  vi.stubEnv('NODE_ENV', 'production')
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  memoryPayments()
  expect(warn).toHaveBeenCalledOnce()
  warn.mockRestore()
  vi.unstubAllEnvs()
})
