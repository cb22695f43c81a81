/** Starts of the built program: time to the first created intent, and memory while idle. @module */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '@pi-checkout/test-support/stack'
import type { Samples, Size } from '../samples.ts'

export async function measure(samples: Samples, size: Size): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
  const existing = join(folder, 'existing')
  let count = 0
  await (await start(existing)).stop()
  await samples.inTurns(
    size(5, 1),
    ['new', 'existing'].map((directory) => async (record) => {
      const { seconds, stop } = await start(
        directory === 'new' ? join(folder, `${++count}`) : existing,
      )
      await stop()
      record(`start, ${directory} directory`, { seconds })
    }),
  )
  const idle = await start(existing)
  await sleep(size(10_000, 100))
  const args = ['-o', 'rss=', '-p', String(idle.pid)]
  const megabytes = Number(execFileSync('ps', args, { encoding: 'utf8' })) / 1024
  samples.record('an idle service with the embedded store', { megabytes })
  await idle.stop()
  await rm(folder, { recursive: true, force: true })
}

async function start(directory: string) {
  const startedAt = performance.now()
  const { child, ready, stop } = await startService(['--data', directory], { PI_DATABASE_URL: '' })
  const response = await fetch(`${ready.baseUrl}/payment-intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.apiKey}`, 'content-type': 'application/json' },
    body: '{"amount":150000,"currency":"AMD","orderId":"A-1001"}',
  })
  if (response.status !== 201) throw new Error(`The first create returned ${response.status}.`)
  await response.text()
  return { seconds: (performance.now() - startedAt) / 1000, pid: child.pid, stop }
}
