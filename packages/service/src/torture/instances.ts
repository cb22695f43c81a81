/**
 * The instances of one rack: they come and go, and none is left when `endAll` has returned.
 *
 * @module
 */
import type { Instance } from './instance.ts'

export class Instances {
  readonly #start: (at: number) => Promise<Instance>
  readonly #running: (Instance | undefined)[]
  #turn = 0

  /** @param start Starts the one at a place; the first are started by `startAll`. */
  constructor(count: number, start: (at: number) => Promise<Instance>) {
    this.#start = start
    this.#running = Array.from({ length: count }, () => undefined)
  }

  /** The key that one of the first instances has shown. */
  get apiKey(): string {
    return String(this.#running.find((instance) => instance?.apiKey)?.apiKey)
  }

  /** Starts every instance, and waits for each of them even where one does not start. */
  async startAll(): Promise<void> {
    const places = [...this.#running.keys()]
    const started = await Promise.allSettled(places.map(async (at) => await this.start(at)))
    for (const start of started) if (start.status === 'rejected') throw start.reason
  }

  async start(at: number): Promise<void> {
    this.#running[at] = await this.#start(at)
  }

  async kill(at: number): Promise<void> {
    const victim = this.#running[at]
    this.#running[at] = undefined
    await victim?.end('SIGKILL')
  }

  /** Returns one of those that run, another each time. */
  next(): Instance | undefined {
    const up = this.#running.filter((instance) => instance !== undefined)
    return up[this.#turn++ % Math.max(1, up.length)]
  }

  async endAll(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await Promise.all(this.#running.splice(0).map(async (instance) => await instance?.end(signal)))
  }
}
