import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sql } from '../../src/store/sql.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'
import { create, isReplay, type Merchant, startTestService } from '../support/service.ts'

const folder = temporaryFolder()
// A separate disk that is small enough to fill; only root may mount one.
const isMounted =
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=72m', 'tmpfs', folder]).status === 0
if (isMounted) atEnd(() => spawnSync('umount', [folder]))

// Space that is left, so that either the rows or the write-ahead log run out of it first.
for (const { full, free, values } of [
  { full: 'below the rows', free: 100_000, values: 30 },
  { full: 'in the middle of the log', free: 6_000_000, values: 12 },
]) {
  test.skipIf(!isMounted)(
    `returns 503 on a disk that is full ${full}, recovers, and loses no acknowledged intent`,
    async () => {
      const data = join(folder, 'data')
      await fillLog(data)
      const service = await startTestService({ PI_DATA_DIR: data })
      const { bavail, bsize } = await statfs(folder)
      const filler = join(folder, 'filler')
      await writeFile(filler, Buffer.alloc(bavail * bsize - free))

      const metadata = Object.fromEntries(
        Array.from({ length: values }, (_, key) => [`k${key}`, randomBytes(250).toString('hex')]),
      )
      const send = async (number: number, to: Merchant = service): Promise<Response> => {
        const order = { amount: 1, currency: 'AMD', orderId: `A-${number}`, metadata }
        return await create(to, order, { 'idempotency-key': `full-${number}` })
      }
      const acknowledged = new Map<number, string>()
      const rejected: number[] = []
      let next = 0
      const worker = async (): Promise<void> => {
        while (rejected.length === 0 && next < 10_000) {
          const number = next++
          const response = await send(number)
          const text = await response.text()
          if (response.status === 201) acknowledged.set(number, text)
          else {
            rejected.push(number)
            expect(response.headers.get('retry-after')).toBe('1')
            expect(JSON.parse(text)).toMatchObject({ code: 'store_unavailable', retryable: true })
          }
        }
      }
      await Promise.all(Array.from({ length: 16 }, worker))
      expect(rejected.length).toBeGreaterThan(0)

      await rm(filler)
      await expect.poll(async () => (await send(-1)).status, { timeout: 10_000 }).toBe(201)
      for (const number of rejected) expect((await send(number)).status).toBe(201)
      await service.stop()

      const restarted = await startTestService({ PI_DATA_DIR: data })
      for (const [number, text] of [...acknowledged].slice(-100)) {
        const replay = await send(number, restarted)
        expect([isReplay(replay), await replay.text()]).toEqual([true, text])
      }
      await restarted.stop()
      await rm(data, { recursive: true })
    },
  )
}

/** Writes into the log alone, close to where a checkpoint would create its next file. */
async function fillLog(data: string): Promise<void> {
  mkdirSync(join(data, 'database'), { recursive: true })
  const db = await openSqlite(join(data, 'database'))
  const segment = 16 * 1024 * 1024
  const [log] = await db.query<{ used: number }>(sql`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint % ${segment}::bigint as used`)
  const missing = Math.floor(segment * 0.74) - (log?.used ?? 0)
  if (missing > 0) {
    await db.query(sql`select pg_logical_emit_message(false, '', repeat('x', ${missing}::int))`)
  }
  await db.close()
}
