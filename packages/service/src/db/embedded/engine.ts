/** Replaces the embedded engine after a crash, for example on a full disk. @module */
import type { PGlite } from '@electric-sql/pglite'

/** An engine, and the function that closes its files without it. */
export interface StartedEngine {
  readonly engine: PGlite
  release(): void
}

/** Milliseconds between failed starts. Each start blocks the process. */
const retryDelay = 1000

/** The running engine, or the one that replaces it. */
export class Engine {
  readonly #open: () => Promise<StartedEngine>
  #current: Promise<StartedEngine>
  #openedAt = 0

  /** @param open - Starts another engine with the same files. */
  constructor(first: StartedEngine, open: () => Promise<StartedEngine>) {
    this.#current = Promise.resolve(first)
    this.#open = open
  }

  /** Returns the running engine. If it cannot start, the next start is tried after `retryDelay`. */
  async ready(): Promise<StartedEngine> {
    try {
      return await this.#current
    } catch (error) {
      if (performance.now() - this.#openedAt < retryDelay) throw error
      this.#restart()
      return await this.#current
    }
  }

  /** Returns the response. @throws {Error} If the engine stopped. A commit may have succeeded. */
  async execute(started: StartedEngine, messages: Buffer): Promise<Buffer> {
    const parts: Buffer[] = []
    // Other raw methods also parse the response, and keep the results in memory.
    await started.engine.execProtocolRawStream(messages, {
      syncToFs: false,
      // Copy it, because it is a view of memory that the engine reuses.
      onRawData: (part) => parts.push(Buffer.from(part)),
    })
    const [only] = parts
    const response = only && parts.length === 1 ? only : Buffer.concat(parts)
    if (isReady(response)) return response
    // Don't close the engine, because closing writes to the files.
    started.release()
    this.#restart()
    throw new Error('The embedded store stopped and is being restarted')
  }

  async close(): Promise<void> {
    const started = await this.#current.catch(() => undefined)
    await started?.engine.close()
  }

  #restart(): void {
    this.#openedAt = performance.now()
    this.#current = this.#open()
    // Each caller of `ready` gets the error.
    this.#current.catch(() => {})
  }
}

/** Returns whether a response ends with ReadyForQuery, as all do unless the engine stopped. */
function isReady(response: Buffer): boolean {
  const at = response.length - 6
  return at >= 0 && response[at] === 'Z'.charCodeAt(0) && response[at + 4] === 5
}
