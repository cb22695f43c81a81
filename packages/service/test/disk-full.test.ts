import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { create, startTestService } from './support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'pi-full-'))
// A disk of its own that is small enough to fill; only root may mount one.
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]).status === 0

afterAll(() => {
  if (mounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(!mounted)(
  'a full disk gives 503 and writes nothing by halves; with room again, all goes on',
  async () => {
    const env = { PI_DATA_DIR: join(folder, 'data') }
    const metadata = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`k${at}`, 'x'.repeat(500)]),
    )
    const bodyOf = (at: number) => ({ amount: 1, currency: 'AMD', orderId: `A-${at}`, metadata })
    const keyOf = (at: number) => ({ 'idempotency-key': `full-${at}` })
    const service = await startTestService(env)
    const { bavail, bsize } = await statfs(folder)
    const filler = join(folder, 'filler')
    await writeFile(filler, Buffer.alloc(bavail * bsize - 100_000))

    const acknowledged: number[] = []
    let refused: number | undefined
    for (let at = 0; refused === undefined && at < 3000; at++) {
      const answer = await create(service, bodyOf(at), keyOf(at))
      if (answer.status === 201) acknowledged.push(at)
      else {
        refused = at
        expect(answer.headers.get('retry-after')).toBe('1')
        expect(await answer.json()).toMatchObject({ code: 'store_unavailable', retryable: true })
      }
    }
    expect(refused).toBeDefined()

    await rm(filler)
    const again = await create(service, bodyOf(refused ?? 0), keyOf(refused ?? 0))
    expect(again.status).toBe(201)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
    await service.stop()

    const restarted = await startTestService(env)
    for (const at of acknowledged.slice(-20)) {
      const replay = await create({ ...restarted, apiKey: service.apiKey }, bodyOf(at), keyOf(at))
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
    }
    await restarted.stop()
  },
  120_000,
)
