/**
 * A map with a limited number of entries.
 *
 * @module
 */

export class RecentMap<Value> {
  readonly #limit: number
  readonly #values = new Map<string, Value>()

  /** @param limit - Maximum number of entries. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#values.size
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** Sets a value. Beyond the limit, removes the entry that was set longest ago. */
  set(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > this.#limit && oldest !== undefined) this.#values.delete(oldest)
  }

  clear(): void {
    this.#values.clear()
  }
}
