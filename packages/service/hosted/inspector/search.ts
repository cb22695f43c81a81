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

  /** @param renew Whether the service is asked anew: what is being read is of no use then. */
  change(filter: Partial<Filter>, { renew = true }: { readonly renew?: boolean } = {}): void {
    this.filter = { ...this.filter, ...filter }
    if (!renew) return
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
