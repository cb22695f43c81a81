/** The height of one frame: it follows the hosted page's content without jumps or growth loops. @module */
import { burstOf } from './burst.ts'

const shrinkDelay = 150

/** Sets one custom property on the frame, which the element's styles limit. */
export class FrameHeight {
  readonly #frame: HTMLIFrameElement
  readonly #isLoop = burstOf({ limit: 12, window: 1000 })
  #height = 0
  #requested = 0
  #shrinkTimer: ReturnType<typeof setTimeout> | undefined

  constructor(frame: HTMLIFrameElement, signal: AbortSignal) {
    this.#frame = frame
    // The window receives focus when the frame loses it: a postponed shrink can happen now.
    addEventListener('focus', () => this.request(this.#requested), { signal })
    signal.addEventListener('abort', () => clearTimeout(this.#shrinkTimer))
  }

  /**
   * Grows the frame immediately. Shrinks it after a delay, and only while it does not have focus.
   *
   * @param height - CSS pixels.
   */
  request(height: number): void {
    this.#requested = height
    clearTimeout(this.#shrinkTimer)
    if (height < this.#height) this.#shrinkTimer = setTimeout(() => this.#shrink(), shrinkDelay)
    // A page whose height follows the frame's would grow without end: the frame scrolls instead.
    if (height > this.#height + 1 && !this.#isLoop()) this.#apply()
  }

  #shrink(): void {
    // The shadow root, because `document.activeElement` is the host only.
    const root = this.#frame.getRootNode() as ShadowRoot
    if (root.activeElement !== this.#frame) this.#apply()
  }

  #apply(): void {
    this.#height = this.#requested
    this.#frame.style.setProperty('--frame-height', `${this.#height}px`)
  }
}
