/** Reports the form to the element: its height, and that it is usable, busy, or at its end. Never the result. @module */
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { PageLink } from './frame-link.ts'

/** What the buyer can do: use the form, or nothing more. A declined payment leads from an end back to the form. */
export type Stage = 'ready' | 'finish' | 'cancel'

export class StatusReporter implements ReactiveController {
  readonly #host: ReactiveControllerHost & Element
  readonly #link: PageLink
  #stage: Stage | undefined
  #busy = false

  constructor(host: ReactiveControllerHost & Element, link: PageLink) {
    this.#host = host
    this.#link = link
    host.addController(this)
  }

  hostConnected(): void {
    new ResizeObserver(() => this.#reportSize()).observe(this.#host)
  }

  /** Sends what has changed since the last call. */
  report(stage: Stage, busy: boolean): void {
    // The element ignores `busy` unless the form is usable.
    if (!busy) this.#reportBusy(busy)
    if (stage !== this.#stage) {
      const isFirst = this.#stage === undefined
      this.#stage = stage
      if (isFirst) this.#reportSize()
      this.#link.send({ t: stage })
    }
    if (busy) this.#reportBusy(busy)
  }

  #reportBusy(busy: boolean): void {
    if (busy === this.#busy) return
    this.#busy = busy
    this.#link.send({ t: 'busy', on: busy })
  }

  #reportSize(): void {
    // The first height is that of a complete view.
    if (this.#stage === undefined) return
    const { width, height } = this.#host.getBoundingClientRect()
    // Without width, for example in a closed panel, every word is a line.
    if (width > 0 && height > 0) this.#link.send({ t: 'size', h: Math.ceil(height) })
  }
}
