import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { atEnd, temporaryFolder } from '../support/lifetime.ts'
import { isReplay, type Merchant, startTestService } from '../support/service.ts'

const folder = temporaryFolder()
// A separate disk that is small enough to fill; only root may mount one.
const isMounted =
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]).status === 0
if (isMounted) atEnd(() => spawnSync('umount', ['--lazy', folder]))

// Space that is left: for no checkpoint, or for some.
test.skipIf(!isMounted).each([
  ['at once', 100_000, 30],
  ['after checkpoints', 8_000_000, 12],
] as const)(
  'returns 503 on a disk that is full %s, recovers, and loses no acknowledged intent',
  async (_, free, values) => {
    const data = join(folder, 'data')
    const service = await startTestService({ PI_DATA_DIR: data })
    const { bavail, bsize } = await statfs(folder)
    const filler = join(folder, 'filler')
    await writeFile(filler, Buffer.alloc(bavail * bsize - free))

    const metadata = Object.fromEntries(
      Array.from({ length: values }, (_, key) => [`k${key}`, randomBytes(250).toString('hex')]),
    )
    const send = async (number: number, to: Merchant = service): Promise<Response> => {
      const order = { amount: 1, currency: 'AMD', orderId: `A-${number}`, metadata }
      return await to.create(order, { 'idempotency-key': `full-${number}` })
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
