/** Measures a program that was started with the variables `probed`. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import type { StartedProgram } from './process.ts'

export interface Measurement {
  /** Bytes that are left after a collection of garbage. */
  readonly heap: number
  /** The longest stall of the event loop since the last measurement, in milliseconds. */
  readonly stall: number
}

/** Environment variables of a program that can be measured. */
export const probed = {
  NODE_OPTIONS: `--import ${new URL('probe-preload.mjs', import.meta.url).href}`,
} as const

/** Collects garbage, and measures the program. */
export async function measure({
  child,
  log,
}: Pick<StartedProgram, 'child' | 'log'>): Promise<Measurement> {
  const before = log.length
  child.kill('SIGUSR2')
  for (;;) {
    const line = log.slice(before).find((each) => each.startsWith('{"heap":'))
    if (line) return JSON.parse(line)
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(log.join('\n'))
    await sleep(5)
  }
}
