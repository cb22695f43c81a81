import { expect, onTestFinished, test, vi } from 'vitest'
import { createWaitGroups } from '../../src/checkout/wait-groups.ts'

test('begins ten thousand waits within two seconds, at most 250 at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const group = createWaitGroups()
  let begun = 0
  for (let count = 0; count < 10_000; count++) void group().then(() => begun++)
  await vi.advanceTimersByTimeAsync(50)
  expect(begun).toBe(250)
  await vi.advanceTimersByTimeAsync(2000)
  expect([begun, vi.getTimerCount()]).toEqual([10_000, 0])
})
