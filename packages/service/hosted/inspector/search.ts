/**
 * What a list is asked for. Each question ends the reading of the one before.
 *
 * @module
 */

export class Search<Filter extends object> {
  filter: Filter
  #end = new AbortController()

  constructor(filter: Filter) {
    this.filter = filter
  }

  change(filter: Partial<Filter>): void {
    this.filter = { ...this.filter, ...filter }
  }

  /** Ends what is being read. */
  renew(): void {
    this.#end.abort()
    this.#end = new AbortController()
  }

  /** Returns what was found; `undefined` when something else is looked for by now. */
  async read<Found>(
    ask: (filter: Filter, signal: AbortSignal) => Promise<Found>,
  ): Promise<Found | undefined> {
    const { signal } = this.#end
    try {
      const found = await ask(this.filter, signal)
      return signal.aborted ? undefined : found
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }
}
