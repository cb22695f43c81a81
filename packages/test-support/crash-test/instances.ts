/** Instances of the service under test: they are killed and started again, and none is left after `stopAll`. @module */

export interface Instance {
  readonly url: string
  /** `null` if another instance has shown the key. */
  readonly apiKey: string | null
  /** Sends the signal and waits until the process has exited. */
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<unknown>
}

export class Instances {
  readonly #start: (index: number) => Promise<Instance>
  readonly #running: (Instance | undefined)[]
  #turn = 0

  /** @param start - Starts one instance; `startAll` starts the first ones. */
  constructor(count: number, start: (index: number) => Promise<Instance>) {
    this.#start = start
    this.#running = Array.from({ length: count }, () => undefined)
  }

  /** The key that one of the first instances has shown. */
  get apiKey(): string {
    return String(this.#running.find((instance) => instance?.apiKey)?.apiKey)
  }

  /** Starts every instance, and waits for all of them even if one does not start. */
  async startAll(): Promise<void> {
    const indexes = [...this.#running.keys()]
    const started = await Promise.allSettled(indexes.map((index) => this.start(index)))
    for (const start of started) if (start.status === 'rejected') throw start.reason
  }

  async start(index: number): Promise<void> {
    this.#running[index] = await this.#start(index)
  }

  async kill(index: number): Promise<void> {
    const instance = this.#running[index]
    this.#running[index] = undefined
    await instance?.stop('SIGKILL')
  }

  /** Returns one of the running instances, in turn. */
  next(): Instance | undefined {
    const running = this.#running.filter((instance) => instance !== undefined)
    return running[this.#turn++ % Math.max(1, running.length)]
  }

  async stopAll(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await Promise.all(this.#running.splice(0).map((instance) => instance?.stop(signal)))
  }
}
