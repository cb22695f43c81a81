/**
 * From the rounds of a measurement to one row of the report.
 *
 * @module
 */
import type { Definition } from './rows.ts'

/** A definition with what one run measured. */
export interface Row extends Definition {
  /** Median over the rounds of `ours / baseline`. */
  readonly ratio: number
  /** Lower quartile. */
  readonly low: number
  /** Upper quartile. */
  readonly high: number
  readonly met: boolean
}

/** Two measurements in the same unit, taken one after the other. */
export interface Round {
  readonly ours: number
  readonly baseline: number
}

/** What a measurement returns: rows with a ratio, and absolute figures. */
export interface Measured {
  readonly rows: readonly Row[]
  readonly figures: readonly object[]
}

/** Returns the row of a definition and its rounds. */
export function rowOf(definition: Definition, rounds: readonly Round[]): Row {
  const ratios = rounds.map(({ ours, baseline }) => ours / baseline)
  const ratio = rounded(median(ratios))
  const [low, high] = [rounded(quantile(ratios, 0.25)), rounded(quantile(ratios, 0.75))]
  return { ...definition, ratio, low, high, met: isMet(definition.target, ratio) }
}

/** Pairs two lists of measurements round by round. */
export function pairs(ours: readonly number[], baseline: readonly number[]): Round[] {
  return ours.map((one, index) => ({ ours: one, baseline: baseline[index] ?? Number.NaN }))
}

/** Returns `list` with another first element in each round, so that no one always comes first. */
export function rotated<T>(list: readonly T[], round: number): T[] {
  const first = (round + list.length) % list.length
  return [...list.slice(first), ...list.slice(0, first)]
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Returns two decimals, or two digits if the value is below 0.1. */
export function rounded(value: number): number {
  return Math.abs(value) < 0.1 ? Number(value.toPrecision(2)) : Math.round(value * 100) / 100
}

/** Interpolates linearly between the two nearest values. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const index = (sorted.length - 1) * share
  const below = sorted[Math.floor(index)] ?? Number.NaN
  const above = sorted[Math.ceil(index)] ?? Number.NaN
  return below + (above - below) * (index - Math.floor(index))
}

function isMet(target: Definition['target'], ratio: number): boolean {
  if (target === '') return true
  const limit = Number(target.slice(2))
  return target.startsWith('≤') ? ratio <= limit : ratio >= limit
}
