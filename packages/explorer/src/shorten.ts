/** Finds the shortest sequence that still breaks a rule. @module */

/**
 * Removes items while the rest still breaks a rule: first halves, then smaller parts, then single items.
 *
 * @param items - They break a rule.
 * @param breaks - Returns whether fewer items break one.
 */
export async function shorten<Item>(
  items: readonly Item[],
  breaks: (rest: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let shortest = items
  for (
    let size = Math.ceil(items.length / 2);
    size > 0;
    size = size > 1 ? Math.ceil(size / 2) : 0
  ) {
    for (let end = shortest.length; end > 0; end -= size) {
      const from = Math.max(0, end - size)
      const rest = [...shortest.slice(0, from), ...shortest.slice(end)]
      if (await breaks(rest)) shortest = rest
    }
  }
  return shortest
}
