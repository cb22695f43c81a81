/**
 * A map that keeps what was set last.
 *
 * @module
 */

export class RecentMap<Value> {
  readonly #most: number
  readonly #values = new Map<string, Value>()

  /** @param most Entries that it keeps. */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#values.size
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** Sets a value; beyond the limit, the entry that was set longest ago goes. */
  set(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest)
  }

  clear(): void {
    this.#values.clear()
  }
}
