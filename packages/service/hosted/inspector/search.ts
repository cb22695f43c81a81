/** The searches of the lists. They outlive the views, which are created again with each change of section. @module */

/** Filter of intents, applied by the service. */
export interface IntentFilter {
  readonly q: string
  readonly status: string
}

/** Filter of requests in the log. The service applies `q`. */
export interface RequestFilter {
  readonly q: string
  readonly operation: string
  /** Errors only. */
  readonly failed: boolean
}

/** The service accepts no longer search term. */
export const maxSearchLength = 200

export const anyIntent: IntentFilter = { q: '', status: '' }
export const anyRequest: RequestFilter = { q: '', operation: '', failed: false }

/** The search of one list. Each new search aborts the one before. */
export class Search<Filter extends object> {
  filter: Filter
  #abort = new AbortController()

  constructor(filter: Filter) {
    this.filter = filter
  }

  /** Whether the filter matches everything. */
  get isEmpty(): boolean {
    return !Object.values(this.filter).some(Boolean)
  }

  /** @param renew - Whether to abort the running search: the service applies this part of the filter. */
  change(filter: Partial<Filter>, renew = true): void {
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
