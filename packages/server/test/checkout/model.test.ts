import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { play } from './model.ts'
import * as parts from './parts.ts'

// The time limit of a hook in a crashed instance never passes.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const schedules = 1_000
const first = Number(process.env.PI_SEED ?? Math.floor(Math.random() * 2 ** 31))

test('no schedule of two merchants loses a payment, or ships for two', async () => {
  for (let number = 0; number < schedules; number++) {
    const seed = first + number
    const violation = await play({ seed, parts })
    expect(violation && `PI_SEED=${seed}: ${violation}`).toBeUndefined()
    vi.clearAllTimers()
  }
}, 60_000)
