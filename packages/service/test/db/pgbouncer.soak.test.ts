import { hasPgbouncer, startPgbouncer } from '@pi-checkout/test-support/pgbouncer'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { atEnd, startPostgres } from '../support/lifetime.ts'
import { create, isReplay, order, startTestService } from '../support/service.ts'

// A server with other defaults than the service needs.
const server = await startPostgres({
  timezone: 'Asia/Yerevan',
  default_transaction_isolation: 'serializable',
  datestyle: 'SQL, DMY',
})
const { apiKey } = await startTestService(server.env)

async function pooled(settings: Readonly<Record<string, string | number>>): Promise<string> {
  const pooler = await startPgbouncer(server.url, settings)
  atEnd(pooler.stop)
  return pooler.url
}

/** Starts two instances, sends each create twice to both at once, and expects one intent with the same bytes. */
async function expectOneIntentPerKey(PI_DATABASE_URL: string): Promise<void> {
  const start = async () => await startTestService({ ...server.env, PI_DATABASE_URL })
  const instances = [await start(), await start()]
  const startedAt = Date.now()
  const keys = Array.from({ length: 50 }, (_, index) => `${PI_DATABASE_URL} ${index}`)
  const bodies = await Promise.all(
    keys.map(async (key) => {
      const sent = instances.flatMap(({ url }) => [url, url])
      const responses = await Promise.all(
        sent.map((url) => create({ url, apiKey }, order, { 'idempotency-key': escape(key) })),
      )
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201])
      expect(responses.filter(isReplay)).toHaveLength(3)
      return new Set(await Promise.all(responses.map((response) => response.text())))
    }),
  )
  for (const texts of bodies) {
    expect(texts.size).toBe(1)
    const [text = ''] = texts
    const createdAt = Date.parse((JSON.parse(text) as { createdAt: string }).createdAt)
    expect(createdAt).toBeGreaterThanOrEqual(startedAt - 1000)
    expect(createdAt).toBeLessThanOrEqual(Date.now())
  }
}

describe.skipIf(!hasPgbouncer)('behind PgBouncer', () => {
  test('works in session mode that drops startup options', async () => {
    const settings = { pool_mode: 'session', ignore_startup_parameters: 'options' }
    await expectOneIntentPerKey(await pooled(settings))
  })

  for (const settings of [
    { pool_mode: 'transaction', max_prepared_statements: 0 },
    { pool_mode: 'statement' },
  ]) {
    test(`rejects ${JSON.stringify(settings)} at the start, with the fix`, async () => {
      await expect(openPostgres(await pooled(settings))).rejects.toThrow(
        /^PI_DATABASE_URL: the pooler does not keep transactions and prepared statements\. Use pool_mode/,
      )
    })
  }

  test('works in transaction mode once the role has the settings', async () => {
    const settings = { pool_mode: 'transaction', max_prepared_statements: 200 }
    const rejected = await openPostgres(await pooled(settings)).catch(String)
    const [, fix] =
      /^TypeError: PI_DATABASE_URL: .* Run, then restart the pooler: (.*)$/.exec(
        String(rejected),
      ) ?? []
    expect(fix).toContain("alter role postgres set timezone = 'UTC';")
    const admin = new pg.Client(server.url)
    await admin.connect()
    await admin.query(String(fix))
    await admin.end()
    const url = await pooled(settings)
    await expectOneIntentPerKey(url)
    // A session that LISTEN could use does not exist.
    const db = await openPostgres(url)
    atEnd(() => db.close())
    const changes: Change[] = []
    db.listen((change) => changes.push(change))
    await expect.poll(() => changes.slice(0, 2)).toEqual(['unknown', 'unknown'])
  })
})

test('works on a server with other defaults', async () => {
  await expectOneIntentPerKey(server.url)
})
