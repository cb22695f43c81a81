/** Reports the form to the element: its height, and that it is ready, busy, or finished. Never the result. @module */
import type { LitElement, ReactiveController, ReactiveControllerHost } from 'lit'
import type { FrameLink } from './frame-link.ts'

export class StatusReporter implements ReactiveController {
  readonly #host: ReactiveControllerHost & Element
  readonly #link: FrameLink
  #state: 'silent' | 'preparing' | 'ready' | 'finished' = 'silent'
  #busy = false

  constructor(host: ReactiveControllerHost & Element, link: FrameLink) {
    this.#host = host
    this.#link = link
    host.addController(this)
  }

  hostConnected(): void {
    new ResizeObserver(() => this.#reportSize()).observe(this.#host)
  }

  /** Sends what has changed since the last call. `end` is sent once. */
  report({ busy, end }: { readonly busy: boolean; readonly end?: 'finish' | 'cancel' }): void {
    if (this.#state === 'silent') void this.#prepare()
    if (this.#state !== 'ready') return
    if (busy !== this.#busy) {
      this.#busy = busy
      this.#link.send({ t: 'busy', on: busy })
    }
    if (!end) return
    this.#state = 'finished'
    this.#link.send({ t: end })
  }

  /** Waits until the elements inside have rendered too, so that the first view is complete. */
  async #prepare(): Promise<void> {
    this.#state = 'preparing'
    await this.#host.updateComplete
    await this.#host.querySelector<LitElement>('card-form')?.updateComplete
    this.#state = 'ready'
    this.#reportSize()
    this.#link.send({ t: 'ready' })
    this.#host.requestUpdate()
  }

  #reportSize(): void {
    if (this.#state === 'silent' || this.#state === 'preparing') return
    const { width, height } = this.#host.getBoundingClientRect()
    // Without width, for example in a closed panel, every word is a line.
    if (width > 0 && height > 0) this.#link.send({ t: 'size', h: Math.ceil(height) })
  }
}
