/**
 * The embedded engine, and its replacement after a crash.
 *
 * PostgreSQL stops when it cannot write its log, for example on a full disk, and its supervisor starts it
 * again from the committed state. This file is the supervisor of the engine in this process.
 *
 * @module
 */
import type { PGlite } from '@electric-sql/pglite'

/** An engine, and how to release its files without it. */
export interface StartedEngine {
  readonly engine: PGlite
  release(): void
}

/** How long a start that failed is not tried again, in milliseconds: each stops the whole process. */
const pause = 1000

export class Engine {
  readonly #open: () => Promise<StartedEngine>
  #current: Promise<StartedEngine>
  #openedAt = 0

  /**
   * @param first It runs already.
   * @param open Starts another on the same files.
   */
  constructor(first: StartedEngine, open: () => Promise<StartedEngine>) {
    this.#current = Promise.resolve(first)
    this.#open = open
  }

  /**
   * Returns the engine that runs, which may be a new one.
   *
   * @throws {Error} If it cannot start; the next try is after a pause.
   */
  async ready(): Promise<StartedEngine> {
    try {
      return await this.#current
    } catch (error) {
      if (performance.now() - this.#openedAt < pause) throw error
      this.#restart()
      return await this.#current
    }
  }

  /**
   * Passes messages to the engine and returns its response to all of them.
   *
   * @throws {Error} If the engine stopped: the messages may or may not have been committed. Connect again.
   */
  async execute(started: StartedEngine, messages: Buffer): Promise<Buffer> {
    const parts: Buffer[] = []
    // The engine's other raw calls also parse each response, and never release the results.
    await started.engine.execProtocolRawStream(messages, {
      syncToFs: false,
      // A view of the engine's own memory, which it writes over.
      onRawData: (part) => parts.push(Buffer.from(part)),
    })
    const [only] = parts
    const response = only && parts.length === 1 ? only : Buffer.concat(parts)
    if (isReady(response)) return response
    // Not closed: it would write.
    started.release()
    this.#restart()
    throw new Error('The embedded store has stopped and starts again')
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

/**
 * Every write of `pg` ends in a message to which the engine responds with ReadyForQuery, unless it panics.
 *
 * @see https://www.postgresql.org/docs/15/protocol-message-formats.html, ReadyForQuery
 */
function isReady(response: Buffer): boolean {
  const at = response.length - 6
  return at >= 0 && response[at] === 'Z'.charCodeAt(0) && response[at + 4] === 5
}
