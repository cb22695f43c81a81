/**
 * Tells the element how the form is: its size, that it is ready, busy, done. Never how the payment is.
 *
 * @module
 */
import type { LitElement, ReactiveController, ReactiveControllerHost } from 'lit'
import type { ParentLink } from './parent-link.ts'

export class Announcer implements ReactiveController {
  readonly #host: ReactiveControllerHost & Element
  readonly #link: ParentLink
  #state: 'silent' | 'preparing' | 'ready' | 'over' = 'silent'
  #busy = false

  constructor(host: ReactiveControllerHost & Element, link: ParentLink) {
    this.#host = host
    this.#link = link
    host.addController(this)
  }

  hostConnected(): void {
    new ResizeObserver(() => this.#tellSize()).observe(this.#host)
  }

  /** Tells what has changed since the last time. `end` is told once. */
  tell({
    busy,
    end,
  }: {
    readonly busy: boolean
    readonly end: 'finish' | 'cancel' | undefined
  }): void {
    if (this.#state === 'silent') void this.#prepare()
    if (this.#state !== 'ready') return
    if (busy !== this.#busy) {
      this.#busy = busy
      this.#link.tell({ t: 'busy', on: busy })
    }
    if (!end) return
    this.#state = 'over'
    this.#link.tell({ t: end })
  }

  /** The first view stands once the elements inside have rendered too: no half a form, no jump. */
  async #prepare(): Promise<void> {
    this.#state = 'preparing'
    await this.#host.updateComplete
    await this.#host.querySelector<LitElement>('card-form')?.updateComplete
    this.#state = 'ready'
    this.#tellSize()
    this.#link.tell({ t: 'ready' })
    this.#host.requestUpdate()
  }

  #tellSize(): void {
    if (this.#state === 'silent' || this.#state === 'preparing') return
    const { height } = this.#host.getBoundingClientRect()
    if (height > 0) this.#link.tell({ t: 'size', h: Math.ceil(height) })
  }
}
