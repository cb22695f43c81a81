/** The height of one frame: it follows the hosted page's content without jumps or growth loops. @module */
import { burstOf } from './burst.ts'

/** Returns a function that takes CSS pixels, grows the frame immediately, and shrinks it after a delay. */
export function heightOf(frame: HTMLIFrameElement): (height: number) => void {
  const isLoop = burstOf(12, 1000)
  let current = 0
  let shrinkTimer: ReturnType<typeof setTimeout> | undefined

  const apply = (height: number): void => {
    current = height
    frame.style.setProperty('--frame-height', `${height}px`)
  }
  return (height) => {
    clearTimeout(shrinkTimer)
    // So that a page whose content changes in two steps does not move twice.
    if (height < current) shrinkTimer = setTimeout(apply, 150, height)
    // A page whose height follows the frame's would grow without end: the frame scrolls instead.
    else if (height > current + 1 && !isLoop()) apply(height)
  }
}
