/**
 * Decides when to read: one read at a time with pauses in between, so that an open inspector does not slow a
 * busy service, and a retry after a failure.
 *
 * @module
 */
import type { Topic } from '../../shared/sandbox-api.ts'

/** What can be read separately: a topic, or the open intent alone. */
export type Part = Topic | 'detail'

export interface ReadOptions {
  /** The search term is still being typed: the read waits until typing pauses. */
  readonly typing?: boolean
}

export class Refresher {
  readonly #read: (parts: readonly Part[]) => Promise<boolean>
  readonly #pending = new Set<Part>()
  #running = false
  readonly #typed = new Set<Part>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param read - Returns whether the read is complete and needs no retry. */
  constructor(read: (parts: readonly Part[]) => Promise<boolean>) {
    this.#read = read
  }

  /** Reads what has changed, after the current pause. */
  async readSoon(parts: readonly Part[]): Promise<void> {
    for (const part of parts) this.#pending.add(part)
    if (this.#running) return
    this.#running = true
    while (this.#pending.size > 0) {
      const next = [...this.#pending]
      this.#pending.clear()
      const startedAt = performance.now()
      const done = await this.#read(next)
      if (!done) for (const part of next) this.#pending.add(part)
      await pause(done ? 3 * (performance.now() - startedAt) : retryPause)
    }
    this.#running = false
  }

  /** Reads what the user waits for, without a pause. */
  async readNow(parts: readonly Part[], { typing = false }: ReadOptions = {}): Promise<void> {
    if (typing) this.#readAfterTyping(parts)
    else if (!(await this.#read(parts))) void this.readSoon(parts)
  }

  #readAfterTyping(parts: readonly Part[]): void {
    for (const part of parts) this.#typed.add(part)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const typed = [...this.#typed]
      this.#typed.clear()
      void this.readNow(typed)
    }, typingPause)
  }
}

const typingPause = 250

/** Milliseconds before the next request after a failure. */
export const retryPause = 1000

export async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
