/**
 * How long the demo takes from nothing to its first page and its first handoff.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, type Row, rounded, rowOf } from '../../.ci/bench/row.ts'
import { Buyer } from '../test/buyer.ts'
import { startHouse } from './house.ts'
import { starts } from './table.ts'

/** Milliseconds since the first program was started. */
interface Started {
  readonly page: number
  readonly handoff: number
}

/** Each round starts on a new directory, and then again on the same one. */
export async function measureStarts({
  rounds,
}: {
  readonly rounds: number
}): Promise<{ readonly rows: readonly Row[]; readonly runs: readonly object[] }> {
  const fresh: Started[] = []
  const existing: Started[] = []
  for (let round = 0; round < rounds; round++) {
    const data = await mkdtemp(join(tmpdir(), 'pi-bench-'))
    fresh.push(await startOnce(data))
    existing.push(await startOnce(data))
    await rm(data, { recursive: true, force: true })
  }
  const seconds = (all: readonly Started[]) =>
    all.map(({ handoff }) => ({ ours: handoff, baseline: 1000 }))
  const run = (directory: string, all: readonly Started[]) => ({
    what: `demo, ${directory} directory`,
    'first page ms': rounded(median(all.map(({ page }) => page))),
    'first handoff ms': rounded(median(all.map(({ handoff }) => handoff))),
  })
  return {
    rows: [rowOf(starts.fresh, seconds(fresh)), rowOf(starts.existing, seconds(existing))],
    runs: [run('new', fresh), run('existing', existing)],
  }
}

async function startOnce(data: string): Promise<Started> {
  const began = performance.now()
  const house = await startHouse(data)
  const buyer = await new Buyer(house.shopUrl).visit()
  const page = performance.now() - began
  const [product] = (await buyer.catalogue()).products
  await buyer.put(product?.id ?? '', 1)
  await buyer.handoff(await buyer.placeOrder())
  const handoff = performance.now() - began
  await house.stop()
  return { page, handoff }
}
