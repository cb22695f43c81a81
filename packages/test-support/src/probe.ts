/** Measures a program that was started with `probed: true`. @module */
import { once } from 'node:events'
import type { StartedProgram } from './process.ts'

type Probed = Pick<StartedProgram, 'child'>

/** Sizes in bytes, `stall` in milliseconds. */
export interface Measurement {
  readonly heap: number
  readonly external: number
  readonly rss: number
  readonly stall: number
}

/** Collects garbage and returns what is left, and the longest stall since the last question. */
export async function measure({ child }: Probed): Promise<Measurement> {
  child.send({ measure: true })
  const [measurement] = await once(child, 'message')
  return measurement as Measurement
}

/** Returns the longest stall of the event loop since the last question, in milliseconds. */
export async function longestStall({ child }: Probed): Promise<number> {
  child.send({ stall: true })
  const [{ stall }] = (await once(child, 'message')) as [Measurement]
  return stall
}
