/**
 * One line of the benchmark's table, the same in every room: a ratio against a named baseline.
 *
 * @module
 */

/** What is measured, against what, and how good it has to be. */
export interface Definition {
  readonly what: string
  /** The baseline; `–` where the figure stands for itself. */
  readonly against: string
  /** `≤ 1.15` or `≥ 0.6`; empty where the figure is there to be seen only. */
  readonly target: '' | `≤ ${number}` | `≥ ${number}`
  /** What a reader must know: of which case it is the ratio, which limit it meets. */
  readonly note?: string
}

/** A definition with what one run measured. */
export interface Row extends Definition {
  /** Median of the rounds, each of them ours divided by the baseline next to it. */
  readonly ratio: number
  /** Lower quartile of the rounds. */
  readonly low: number
  /** Upper quartile of the rounds. */
  readonly high: number
  readonly met: boolean
}

/** A pair of one round, in the same unit: what happened to the machine meanwhile hit both. */
export interface Round {
  readonly ours: number
  readonly baseline: number
}

/** Makes the row of a definition out of its rounds. */
export function rowOf(definition: Definition, rounds: readonly Round[]): Row {
  const ratios = rounds.map(({ ours, baseline }) => ours / baseline)
  const ratio = rounded(median(ratios))
  return {
    ...definition,
    ratio,
    low: rounded(quantile(ratios, 0.25)),
    high: rounded(quantile(ratios, 0.75)),
    met: isMet(definition.target, ratio),
  }
}

/** Tells whether a ratio is good enough. Without a target every one is. */
export function isMet(target: Definition['target'], ratio: number): boolean {
  if (target === '') return true
  const limit = Number(target.slice(2))
  return target.startsWith('≤') ? ratio <= limit : ratio >= limit
}

/** Prints rows as a table; `ratio` with its quartiles. */
export function printRows(rows: readonly Row[]): void {
  console.table(
    rows.map(({ what, against, ratio, low, high, target, met }) => ({
      what,
      against,
      ratio: low === high ? `${ratio}` : `${ratio} (${low}–${high})`,
      target,
      met: target === '' ? '' : met,
    })),
  )
}

/** The middle value: one bad round changes nothing. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** @param share 0.5 is the median. Between two values it takes the part between. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}

/** Two decimals, or three digits where a ratio is small. */
export function rounded(value: number): number {
  return Math.abs(value) < 0.1 ? Number(value.toPrecision(2)) : Math.round(value * 100) / 100
}
