/** Connects `pg` to the embedded engine in this process. @module */
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Engine, StartedEngine } from './engine.ts'

const terminate = 'X'.charCodeAt(0)

/** Milliseconds of statements after which requests of other clients are read. */
const maxBusy = 20

/** Passes messages of `pg` to the engine. `pg` corks the messages of a query, so one call gets them all. */
export class EngineStream extends Duplex {
  readonly #engines: Engine
  /** Engine of this connection, after it is connected. */
  #engine: StartedEngine | undefined
  /** Begin of the event loop turn's first statement. */
  #busySince: number | undefined

  constructor(engines: Engine) {
    super()
    this.#engines = engines
  }

  connect(): this {
    this.#engines.ready().then(
      (engine) => {
        this.#engine = engine
        this.emit('connect')
      },
      (error: unknown) => this.destroy(asError(error)),
    )
    return this
  }

  setNoDelay(): this {
    return this
  }

  ref(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#write(chunk, done)
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null)
    done()
  }

  #write(messages: Buffer, done: (error?: Error | null) => void): void {
    this.#run(messages).then(
      () => done(),
      (error: unknown) => done(asError(error)),
    )
  }

  async #run(messages: Buffer): Promise<void> {
    if (messages[0] !== terminate) {
      await this.#yield()
      this.push(await this.#execute(messages))
      return
    }
    // The engine has one session, so remove the prepared statements of this connection.
    await this.#execute(simpleQuery('rollback'))
    await this.#execute(simpleQuery('discard all'))
  }

  /** Ends the turn of the event loop if it is long. Statements are not asynchronous, so a series of them never would. */
  async #yield(): Promise<void> {
    if (this.#busySince === undefined) {
      this.#busySince = performance.now()
      setImmediate(() => {
        this.#busySince = undefined
      })
    } else if (performance.now() - this.#busySince > maxBusy) await nextTurn()
  }

  async #execute(messages: Buffer): Promise<Buffer> {
    if (!this.#engine) throw new Error('The embedded store is not connected')
    return await this.#engines.execute(this.#engine, messages)
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The embedded store stopped')
}

/** Returns a Query message. @see https://www.postgresql.org/docs/15/protocol-message-formats.html */
function simpleQuery(text: string): Buffer {
  const message = Buffer.alloc(6 + text.length)
  message.write('Q')
  message.writeInt32BE(5 + text.length, 1)
  message.write(text, 5)
  return message
}
