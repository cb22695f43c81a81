/** Finds the shortest sequence that still breaks a rule. @module */

/**
 * Removes items while the rest still breaks a rule: first many at once, in the end single ones.
 *
 * @param items - They break a rule.
 * @param breaks - Returns what broke one: fewer items, up to the last one that was needed. `undefined` if they break none.
 */
export async function shorten<Item>(
  items: readonly Item[],
  breaks: (rest: readonly Item[]) => Promise<readonly Item[] | undefined>,
): Promise<readonly Item[]> {
  let shortest = items
  for (const size of [8, 4, 2, 1]) {
    for (let end = shortest.length; end > 0; end = Math.min(end - size, shortest.length)) {
      const from = Math.max(0, end - size)
      shortest = (await breaks(shortest.toSpliced(from, end - from))) ?? shortest
    }
  }
  return shortest
}
