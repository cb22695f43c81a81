/** The clock of a shop on Node.js, which the explorer advances: much of what a shop does takes minutes. @module */

/** Loaded into each process of the shop. `Date` returns a later time; timers are not changed. */
const program = `
import { readFileSync } from 'node:fs'
const RealDate = Date
const real = Date.now
let offset = 0
let readAt = 0
const now = () => {
  const at = real()
  if (at - readAt > 5) {
    readAt = at
    try { offset = Number(readFileSync(process.env.PI_EXPLORE_CLOCK, 'utf8')) } catch {}
  }
  return at + offset
}
RealDate.now = now
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, made) => Reflect.construct(target, args.length > 0 ? args : [now()], made),
})`

/**
 * Returns the variables of a shop with this clock.
 *
 * @param file - Contains the milliseconds that it is advanced by.
 */
export function clockVariables(file: string): Readonly<Record<string, string>> {
  const loaded = `--import data:text/javascript,${encodeURIComponent(program)}`
  const { NODE_OPTIONS = '' } = process.env
  return { NODE_OPTIONS: `${NODE_OPTIONS} ${loaded}`.trim(), PI_EXPLORE_CLOCK: file }
}
