/**
 * The search of a list. Each new search aborts the one before.
 *
 * @module
 */

export class Search<Filter extends object> {
  filter: Filter
  #abort = new AbortController()

  constructor(filter: Filter) {
    this.filter = filter
  }

  /** @param renew - Whether the running search is aborted, because the service must be asked again. */
  change(filter: Partial<Filter>, { renew = true }: { readonly renew?: boolean } = {}): void {
    this.filter = { ...this.filter, ...filter }
    if (!renew) return
    this.#abort.abort()
    this.#abort = new AbortController()
  }

  /** Returns the results; `undefined` if the filter has changed in the meantime. */
  async read<Found>(
    search: (filter: Filter, signal: AbortSignal) => Promise<Found>,
  ): Promise<Found | undefined> {
    const { signal } = this.#abort
    try {
      const found = await search(this.filter, signal)
      return signal.aborted ? undefined : found
    } catch (error) {
      if (signal.aborted) return undefined
      throw error
    }
  }
}
