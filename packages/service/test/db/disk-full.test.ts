import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { create, startTestService } from '../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'pi-full-'))
// A separate disk that is small enough to fill; only root may mount one.
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=72m', 'tmpfs', folder]).status === 0

afterAll(() => {
  if (mounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
})

/** Leaves so much space that either the rows or the write-ahead log run out of it first. */
const disks = [
  { full: 'under the rows', free: 100_000, values: 30 },
  { full: 'in the middle of the log', free: 6_000_000, values: 12 },
]

for (const { full, free, values } of disks) {
  test.skipIf(!mounted)(
    `returns 503 on a disk that is full ${full}, loses no acknowledged intent, and recovers`,
    async () => {
      const data = join(folder, 'data')
      const env = { PI_DATA_DIR: data }
      await fillLog(data)
      const service = await startTestService(env)
      const { bavail, bsize } = await statfs(folder)
      const filler = join(folder, 'filler')
      await writeFile(filler, Buffer.alloc(bavail * bsize - free))

      const metadata = Object.fromEntries(
        Array.from({ length: values }, (_, at) => [`k${at}`, randomBytes(250).toString('hex')]),
      )
      const send = async (at: number, to = service): Promise<Response> =>
        await create(
          { url: to.url, apiKey: service.apiKey },
          { amount: 1, currency: 'AMD', orderId: `A-${at}`, metadata },
          { 'idempotency-key': `full-${at}` },
        )
      const acknowledged = new Map<number, string>()
      const refused: number[] = []
      let next = 0
      const worker = async (): Promise<void> => {
        while (refused.length === 0 && next < 10_000) {
          const at = next++
          const answer = await send(at)
          const text = await answer.text()
          if (answer.status === 201) acknowledged.set(at, text)
          else {
            refused.push(at)
            expect(answer.headers.get('retry-after')).toBe('1')
            expect(JSON.parse(text)).toMatchObject({ code: 'store_unavailable', retryable: true })
          }
        }
      }
      await Promise.all(Array.from({ length: 16 }, worker))
      expect(refused.length).toBeGreaterThan(0)

      await rm(filler)
      await expect.poll(async () => (await send(-1)).status, { timeout: 10_000 }).toBe(201)
      for (const at of refused) expect((await send(at)).status).toBe(201)
      await service.stop()

      const restarted = await startTestService(env)
      for (const [at, text] of [...acknowledged].slice(-100)) {
        const replay = await send(at, restarted)
        expect(replay.headers.get('idempotent-replayed')).toBe('true')
        expect(await replay.text()).toBe(text)
      }
      await restarted.stop()
      await rm(data, { recursive: true })
    },
  )
}

/** Writes into the log alone, close to where a checkpoint would make its next file. */
async function fillLog(data: string): Promise<void> {
  mkdirSync(join(data, 'database'), { recursive: true })
  const db = await openPglite(join(data, 'database'))
  const segment = 16 * 1024 * 1024
  const [log] = await db.query<{ used: number }>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint % ${segment}::bigint as used`
  const missing = Math.floor(segment * 0.74) - (log?.used ?? 0)
  if (missing > 0) {
    await db.query`select pg_logical_emit_message(false, '', repeat('x', ${missing}::int))`
  }
  await db.close()
}
