/** Measures a program that was started with `probed: true`. @module */
import { once } from 'node:events'
import type { StartedProgram } from './process.ts'

export interface Measurement {
  /** Bytes that are left after a collection of garbage. */
  readonly heap: number
  /** The longest stall of the event loop since the last measurement, in milliseconds. */
  readonly stall: number
}

/** Collects garbage, and measures the program. */
export async function measure({ child }: Pick<StartedProgram, 'child'>): Promise<Measurement> {
  child.send({})
  const [measurement] = await once(child, 'message')
  return measurement as Measurement
}
