/** Measurements that take turns in rounds, and the rows that compare them. @module */

/** Ours divided by a baseline: the median and the quartiles of the rounds. */
export interface Row {
  readonly what: string
  readonly against: string
  readonly ratio: number
  readonly spread: string
  readonly target: string
  readonly met: boolean
}

interface Baseline {
  readonly against: string
  /** Figures of the same rounds. */
  readonly baseline: readonly number[]
  /** None for a row that is compared between commits. */
  readonly target?: `≤ ${number}`
}

/**
 * Calls each function in turns, another one first in each round. A round before warms caches and compilers.
 *
 * @returns The figures of each function.
 */
export async function inTurns<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => number | Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(measures) as Name[]
  const figures = {} as Record<Name, number[]>
  for (let round = -1; round < rounds; round++) {
    const first = (round + names.length) % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const figure = await measures[name]()
      if (round >= 0) figures[name] = [...(figures[name] ?? []), figure]
    }
  }
  return figures
}

export function compare(
  what: string,
  ours: readonly number[],
  { against, baseline, target }: Baseline,
): Row {
  const ratios = ours
    .map((figure, round) => figure / Number(baseline[round]))
    .sort((one, other) => one - other)
  const at = (share: number): number =>
    Number(ratios[Math.round((ratios.length - 1) * share)]?.toFixed(3))
  const met = !target || at(0.5) <= Number(target.slice(2))
  return {
    what,
    against,
    ratio: at(0.5),
    spread: `${at(0.25)}–${at(0.75)}`,
    target: target ?? '',
    met,
  }
}
