/** The height of one frame: it follows the hosted page's content without jumps or growth loops. @module */
import { burstOf } from './burst.ts'

/** So that a page whose content changes in two steps does not move twice, in milliseconds. */
const shrinkDelay = 150

/** Sets one custom property on the frame, which the element's styles limit. */
export class FrameHeight {
  readonly #frame: HTMLIFrameElement
  readonly #isLoop = burstOf({ limit: 12, window: 1000 })
  #height = 0
  #shrinkTimer: ReturnType<typeof setTimeout> | undefined

  constructor(frame: HTMLIFrameElement, signal: AbortSignal) {
    this.#frame = frame
    signal.addEventListener('abort', () => clearTimeout(this.#shrinkTimer))
  }

  /**
   * Grows the frame immediately, and shrinks it after a delay.
   *
   * @param height - CSS pixels.
   */
  request(height: number): void {
    clearTimeout(this.#shrinkTimer)
    if (height < this.#height) {
      this.#shrinkTimer = setTimeout(() => this.#apply(height), shrinkDelay)
    }
    // A page whose height follows the frame's would grow without end: the frame scrolls instead.
    if (height > this.#height + 1 && !this.#isLoop()) this.#apply(height)
  }

  #apply(height: number): void {
    this.#height = height
    this.#frame.style.setProperty('--frame-height', `${height}px`)
  }
}
