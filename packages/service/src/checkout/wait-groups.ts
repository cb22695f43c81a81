/** Groups the beginnings of long polls. @module */

/**
 * Returns a function that resolves with those of other requests: 250 of them every 50 ms. Their reads share
 * statements, and if thousands of pages connect at once, other requests are not delayed.
 */
export function createWaitGroups(): () => Promise<void> {
  const queue: (() => void)[] = []
  const release = (): void => {
    for (const begin of queue.splice(0, groupSize)) begin()
    if (queue.length > 0) setTimeout(release, interval)
  }
  return async () =>
    await new Promise((resolve) => {
      if (queue.push(resolve) === 1) setTimeout(release, interval)
    })
}

const groupSize = 250
/** In milliseconds. */
const interval = 50
