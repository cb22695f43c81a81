/**
 * Follows the height that the hosted page wishes for, without jumping and without a growth loop.
 *
 * @module
 */

const shrinkDelay = 150
const growthWindow = 1000
const growthLimit = 12

/** The height of one frame. It writes one custom property; CSS clamps it. */
export class FrameHeight {
  readonly #frame: HTMLIFrameElement
  readonly #growths: number[] = []
  #looping = false
  #height = 0
  #wanted = 0
  #shrinking: ReturnType<typeof setTimeout> | undefined

  constructor(frame: HTMLIFrameElement, signal: AbortSignal) {
    this.#frame = frame
    // The window gains focus when the frame loses it: a shrink that waited for that may happen now.
    addEventListener('focus', () => this.want(this.#wanted), { signal })
    signal.addEventListener('abort', () => clearTimeout(this.#shrinking))
  }

  /**
   * Grows at once, shrinks late and never under the buyer's hands.
   *
   * @param height CSS pixels.
   */
  want(height: number): void {
    this.#wanted = height
    clearTimeout(this.#shrinking)
    if (height < this.#height) this.#shrinking = setTimeout(() => this.#shrink(), shrinkDelay)
    // A page whose height follows the frame's would grow for ever: past the limit the frame scrolls.
    if (height > this.#height + 1 && this.#mayGrow()) this.#apply()
  }

  #mayGrow(): boolean {
    const now = performance.now()
    this.#growths.push(now)
    const oldest = this.#growths.at(-growthLimit - 1)
    this.#looping ||= oldest !== undefined && now - oldest < growthWindow
    return !this.#looping
  }

  #shrink(): void {
    // The root, for `document.activeElement` is the host alone.
    const root = this.#frame.getRootNode() as ShadowRoot
    if (root.activeElement !== this.#frame) this.#apply()
  }

  #apply(): void {
    this.#height = this.#wanted
    this.#frame.style.setProperty('--frame-height', `${this.#wanted}px`)
  }
}
