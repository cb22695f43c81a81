/**
 * The embedded engine, and its successor when it gives up.
 *
 * PostgreSQL stops at once when it cannot write its log, as on a full disk, and its supervisor starts
 * it again on what was committed. An engine in this process has no supervisor but this one.
 *
 * @module
 */
import type { PGlite } from '@electric-sql/pglite'

/** An engine, and how to let its files go without its help. */
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
   * @throws {Error} It cannot start now, and is not tried again for a while.
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
   * Hands messages over and returns the answer to all of them.
   *
   * @throws {Error} The engine has given up: what it was asked may count or not. Connect again.
   */
  async execute(started: StartedEngine, messages: Buffer): Promise<Buffer> {
    const parts: Buffer[] = []
    // The engine's other raw calls read each answer as well, and keep what they read for ever.
    await started.engine.execProtocolRawStream(messages, {
      syncToFs: false,
      // A view of the engine's own memory, which it writes over.
      onRawData: (part) => parts.push(Buffer.from(part)),
    })
    const [only] = parts
    const answer = only && parts.length === 1 ? only : Buffer.concat(parts)
    if (isReady(answer)) return answer
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
    // Whoever asks for it hears of it.
    this.#current.catch(() => {})
  }
}

/**
 * Every write of `pg` ends in a message that the engine answers with ReadyForQuery, unless it panics.
 *
 * @see https://www.postgresql.org/docs/15/protocol-message-formats.html, ReadyForQuery
 */
function isReady(answer: Buffer): boolean {
  const at = answer.length - 6
  return at >= 0 && answer[at] === 'Z'.charCodeAt(0) && answer[at + 4] === 5
}
