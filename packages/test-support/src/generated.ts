/** What tests generate. A failure prints `PI_SEED=…`, which generates the same again. @module */
import fc from 'fast-check'

// Workers of a test runner inherit it.
process.env.PI_SEED ??= String(Math.floor(Math.random() * 2 ** 31))
const [start, path] = process.env.PI_SEED.split('/')

/** New for each run, unless `PI_SEED` names it. */
export const seed = Number(start)

/** Parameters of `fc.assert` for a property that is checked `numRuns` times. */
export function repeatable<T>(numRuns: number): fc.Parameters<T> {
  return { numRuns, seed, endOnFailure: true, reporter: report, ...(path && { path }) }
}

function report<T>(details: fc.RunDetails<T>): void {
  if (!details.failed) return
  const repeat = `PI_SEED=${details.seed}/${details.counterexamplePath}`
  throw new Error(`${repeat} repeats it.\n${fc.defaultReportMessage(details)}`)
}
