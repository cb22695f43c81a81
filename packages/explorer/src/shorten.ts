/** Finds the shortest sequence that still breaks a rule. @module */

/**
 * Removes items while the rest still breaks a rule: first many at once, in the end single ones.
 *
 * @param items - They break a rule.
 * @param breaks - Returns whether fewer items break one.
 */
export async function shorten<Item>(
  items: readonly Item[],
  breaks: (rest: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let shortest = items
  for (const size of [8, 4, 2, 1]) {
    for (let end = shortest.length; end > 0; end -= size) {
      const from = Math.max(0, end - size)
      const rest = shortest.toSpliced(from, end - from)
      if (await breaks(rest)) shortest = rest
    }
  }
  return shortest
}
