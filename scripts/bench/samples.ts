/** Measurements in rounds, and the rows of the report that compare them. @module */
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

/** What a section returns: rows with a ratio, and the medians of all series. */
export interface Measured {
  readonly rows: readonly Row[]
  readonly figures: readonly object[]
}

/** The number of rounds, calls, or seconds; with `--quick` the smaller one. */
export type Size = (full: number, quick: number) => number

type Figures = Readonly<Record<string, number>>
type Recorder = (series: string, figures: Figures) => void

/** Series of measurements: each has a value of each of its figures in each round. */
export class Samples {
  readonly #series = new Map<string, Figures[]>()

  /** Adds a round to a series. */
  record(series: string, figures: Figures): void {
    this.#series.set(series, [...(this.#series.get(series) ?? []), figures])
  }

  /** @throws {Error} If the figure was not measured. */
  valuesOf([series, figure]: readonly [series: string, figure: string]): readonly number[] {
    const values = (this.#series.get(series) ?? []).flatMap((round) => round[figure] ?? [])
    if (values.length === 0) throw new Error(`There is no ${figure} of "${series}".`)
    return values
  }

  /**
   * Calls each function in turns, another one first in each round. A round before warms caches and compilers: its
   * figures are not recorded.
   */
  async inTurns(
    rounds: number,
    all: readonly ((record: Recorder) => void | Promise<void>)[],
  ): Promise<void> {
    for (let round = -1; round < rounds; round++) {
      const first = (round + all.length) % all.length
      for (const measure of [...all.slice(first), ...all.slice(0, first)]) {
        await measure(round < 0 ? () => {} : (...sample) => this.record(...sample))
      }
    }
  }

  /** Compares the two sides of a definition round by round. */
  rowOf(definition: Definition): Row {
    const { ours, baseline, target } = definition
    const baselines = typeof baseline === 'number' ? [] : this.valuesOf(baseline)
    const ratios = this.valuesOf(ours).map(
      (value, round) => value / (baselines[round] ?? Number(baseline)),
    )
    const [low = 0, ratio = 0, high = 0] = [0.25, 0.5, 0.75].map((share) =>
      rounded(quantile(ratios, share)),
    )
    const limit = Number(target.slice(2))
    const met = target === '' || (target.startsWith('≤') ? ratio <= limit : ratio >= limit)
    return { ...definition, ratio, low, high, met }
  }

  medians(): object[] {
    return [...this.#series].map(([what, rounds]) => {
      const median = (figure: string) => rounded(quantile(this.valuesOf([what, figure]), 0.5))
      const names = Object.keys(rounds[0] ?? {})
      return { what, ...Object.fromEntries(names.map((figure) => [figure, median(figure)])) }
    })
  }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Interpolates linearly between the two nearest values. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  const index = (sorted.length - 1) * share
  const below = sorted[Math.floor(index)] ?? Number.NaN
  const above = sorted[Math.ceil(index)] ?? Number.NaN
  return below + (above - below) * (index - Math.floor(index))
}

/** Returns no decimals from 100, two digits below 0.1, and two decimals between. */
function rounded(value: number): number {
  if (Math.abs(value) >= 100) return Math.round(value)
  return Math.abs(value) < 0.1 ? Number(value.toPrecision(2)) : Math.round(value * 100) / 100
}
