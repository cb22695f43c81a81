import { expect, test, vi } from 'vitest'
import { burstOf } from '../src/burst.ts'

test('reports more events than the limit within the window, and from then on every event', () => {
  vi.useFakeTimers()
  const isBurst = burstOf({ limit: 2, window: 1000 })
  const reports = [0, 999, 1, 999, 0, 9999].map((pause) => {
    vi.advanceTimersByTime(pause)
    return isBurst()
  })
  expect(reports).toEqual([false, false, false, false, true, true])
  vi.useRealTimers()
})
