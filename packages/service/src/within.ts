/** Bounds the time of a wait. @module */

/** Waits for work. Returns `false` if it has not ended after the given milliseconds. */
export async function within(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds)
  })
  try {
    return await Promise.race([work.then(() => true), timedOut])
  } finally {
    clearTimeout(timer)
  }
}
