/**
 * Measures one section of `rows.ts` and sends the result to `main.ts`: `section.ts NAME [--quick]`.
 *
 * @module
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Measured } from './statistics.ts'

const [, , name = '', quick] = process.argv
/** The number of rounds, calls, or seconds; with `--quick` the smaller one. */
const size = (full: number, small: number): number => (quick ? small : full)

const measurements: Readonly<Record<string, () => Promise<readonly Measured[]>>> = {
  'packages/server': async () => {
    const { measureCalls, measureClientStarts } = await import('./run/client.ts')
    const { measureHandoffs } = await import('./run/handoff.ts')
    const { measureInstall } = await import('./run/install.ts')
    const api = fork(join(import.meta.dirname, 'run/fake-api.ts'))
    const [port] = (await once(api, 'message')) as [number]
    const all = [
      await measureCalls(port, { rounds: size(31, 1), calls: size(500, 20) }),
      measureClientStarts(port, size(21, 1)),
      measureInstall(),
      await measureHandoffs(port, { rounds: size(9, 1), seconds: size(1, 0.1) }),
    ]
    api.disconnect()
    return all
  },
  'packages/element': async () => {
    const { measureSizes } = await import('./run/element-size.ts')
    const { measureMounts } = await import('./run/element-mount.ts')
    return [await measureSizes(), await measureMounts(size(5, 1))]
  },
  'packages/service': async () => {
    const { measureServiceStarts } = await import('./run/service-start.ts')
    const { measureServiceLoad } = await import('./run/service-load.ts')
    const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
    const starts = await measureServiceStarts(folder, size(5, 1))
    const stored = [size(10_000, 200), size(1_000_000, 2_000)] as const
    const load = { rounds: size(5, 1), seconds: size(1, 0.2), stored }
    const all = [starts, await measureServiceLoad(folder, load)]
    await rm(folder, { recursive: true, force: true })
    return all
  },
  demo: async () => {
    const { measureDemoStarts, measurePayments } = await import('./run/demo.ts')
    return [await measurePayments(size(15, 1)), await measureDemoStarts(size(3, 1))]
  },
}

const all = (await measurements[name]?.()) ?? []
const measured: Measured = {
  rows: all.flatMap(({ rows }) => rows),
  figures: all.flatMap(({ figures }) => figures),
}
process.send?.(measured, () => process.exit())
