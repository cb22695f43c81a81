/**
 * Starts of the built program: time to the first answered create, and memory while idle.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { startService } from '@pi-checkout/test-support/stack'
import { serviceRows } from '../rows.ts'
import { type Measured, rowOf } from '../statistics.ts'

/** Starts services in `folder`. The memory figure is of one that had been idle. */
export async function measureServiceStarts(folder: string, rounds: number): Promise<Measured> {
  const fresh: number[] = []
  const existing: number[] = []
  await (await start(join(folder, 'existing'))).stop()
  let megabytes = Number.NaN
  for (let round = 0; round < rounds; round++) {
    const first = await start(join(folder, `fresh-${round}`))
    fresh.push(first.seconds)
    await first.stop()
    const second = await start(join(folder, 'existing'))
    existing.push(second.seconds)
    if (round === rounds - 1) {
      await new Promise((resolve) => setTimeout(resolve, 10_000))
      megabytes = second.megabytes()
    }
    await second.stop()
  }
  const ofOneSecond = (all: readonly number[]) => all.map((ours) => ({ ours, baseline: 1 }))
  return {
    rows: [
      rowOf(serviceRows.existingDirectory, ofOneSecond(existing)),
      rowOf(serviceRows.newDirectory, ofOneSecond(fresh)),
    ],
    figures: [{ what: 'an idle service with the embedded store', megabytes }],
  }
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
  return {
    seconds: (performance.now() - startedAt) / 1000,
    megabytes: () => {
      const args = ['-o', 'rss=', '-p', String(child.pid)]
      return Math.round(Number(execFileSync('ps', args, { encoding: 'utf8' })) / 1024)
    },
    stop,
  }
}
