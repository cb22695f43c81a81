/**
 * Measures the element against what a shop would use instead; every figure is a ratio of one run.
 *
 * `npm run bench -w @pi-checkout/element -- --json FILE` writes the rows as JSON too.
 *
 * @module
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureMounts } from './mount.ts'
import { measureSizes } from './size.ts'

/** One line of the table. `ratio` is ours divided by the baseline's: less is better. */
export interface Row {
  readonly what: string
  readonly against: string
  readonly ours: number
  readonly baseline: number
  readonly unit: string
  readonly ratio: number
  /** Least and greatest ratio of the rounds, where there are rounds. */
  readonly spread?: readonly [number, number]
  /** Greatest ratio that is good enough. */
  readonly target: number
}

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const rows = [...(await measureSizes()), ...(await measureMounts())]

console.table(
  rows.map(({ what, against, ours, baseline, unit, ratio, spread, target }) => ({
    what,
    against,
    ours: `${ours} ${unit}`,
    baseline: `${baseline} ${unit}`,
    ratio: spread ? `${ratio} (${spread.join('–')})` : ratio,
    target: `≤ ${target}`,
    met: ratio <= target,
  })),
)
if (values.json) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`)
