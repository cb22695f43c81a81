/**
 * When to read: one reading at a time, with rests in between, so that a busy service is not slowed by
 * being watched; and again what could not be read, for no change would name it a second time.
 *
 * @module
 */
import type { Topic } from '../../shared/sandbox-api.ts'

/** What is read at once: a topic, or the open intent alone. */
export type Part = Topic | 'detail'

/** Whether somebody is still typing what is looked for. */
export interface Typing {
  readonly typing?: boolean
}

export class Reading {
  readonly #read: (parts: readonly Part[]) => Promise<boolean>
  readonly #due = new Set<Part>()
  #running = false
  readonly #typed = new Set<Part>()
  #rest: ReturnType<typeof setTimeout> | undefined

  /** @param read Returns whether there is nothing to be read again. */
  constructor(read: (parts: readonly Part[]) => Promise<boolean>) {
    this.#read = read
  }

  /** For what has changed by itself. */
  async soon(parts: readonly Part[]): Promise<void> {
    for (const part of parts) this.#due.add(part)
    if (this.#running) return
    this.#running = true
    while (this.#due.size > 0) {
      const next = [...this.#due]
      this.#due.clear()
      const begin = performance.now()
      const done = await this.#read(next)
      if (!done) for (const part of next) this.#due.add(part)
      await pause(done ? 3 * (performance.now() - begin) : retryAfter)
    }
    this.#running = false
  }

  /** For what somebody waits for: it does not wait for a rest. */
  async now(parts: readonly Part[], { typing = false }: Typing = {}): Promise<void> {
    if (typing) this.#later(parts)
    else if (!(await this.#read(parts))) void this.soon(parts)
  }

  /** Once, when the keys rest. */
  #later(parts: readonly Part[]): void {
    for (const part of parts) this.#typed.add(part)
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => {
      const due = [...this.#typed]
      this.#typed.clear()
      void this.now(due)
    }, keysRest)
  }
}

const keysRest = 250

/** Before the service is asked again, in milliseconds. */
export const retryAfter = 1000

export async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
