import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { expiresAt } from '../../src/intents/deadlines.ts'
import type { Intent } from '../../src/intents/intent.ts'
import type { Change } from '../../src/store/database.ts'
import { StoreError } from '../../src/store/errors.ts'
import { type Awaited, createWaits } from '../../src/waiting/waits.ts'
import { newIntent } from '../support/store.ts'

const minute = 60_000
const clockOffset = 7 * minute
const environment = { id: 'env_test', clockOffset }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A store with one intent, and the waits of an instance. */
function startWaits() {
  const store = {
    intent: newIntent({ createdAt: new Date(Date.now() + clockOffset) }),
    change: (_change: Change): void => {},
    snapshot: (at = new Date()) => ({ intent: store.intent, environment, at }) as never,
  }
  const db = {
    listen: (listener: (change: Change) => void) => {
      store.change = listener
    },
  }
  const { signal } = new AbortController()
  const waits = createWaits({ db: db as never, now: () => new Date() }, signal)

  /** Waits for version 2, and counts what it does. */
  function wait(changes: Partial<Awaited> = {}) {
    const seen = { reads: 0, pulses: [] as number[], end: undefined as number | undefined }
    const begin = Date.now()
    const awaited: Awaited = {
      intentId: store.intent.id,
      version: 2,
      lifetime: Infinity,
      read: async () => {
        seen.reads++
        return store.snapshot()
      },
      onPulse: () => void seen.pulses.push(Date.now() - begin),
      signal,
      ...changes,
    }
    const result = waits.wait(awaited).then(({ intent }) => {
      seen.end = Date.now() - begin
      return intent
    })
    return { seen, result }
  }
  return { store, wait }
}

function paid(intent: Intent): Intent {
  return { ...intent, version: 2 }
}

test('sends a byte at least every 25 seconds for at most ten minutes, with one read', async () => {
  const { seen, result } = startWaits().wait()
  await vi.advanceTimersByTimeAsync(11 * minute)
  expect((await result).version).toBe(1)
  expect(seen.end).toBeGreaterThan(8 * minute - 1)
  expect(seen.end).toBeLessThanOrEqual(10 * minute + 250)
  const pauses = seen.pulses.map((at, index) => at - (seen.pulses[index - 1] ?? 0))
  expect(Math.max(...pauses)).toBeLessThanOrEqual(25_000)
  expect(Math.min(...pauses.slice(1))).toBeGreaterThan(23_000)
  expect([seen.reads, vi.getTimerCount()]).toEqual([1, 0])
})

test('ends with the session', async () => {
  const { seen } = startWaits().wait({ lifetime: 10_000 })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(seen).toEqual({ reads: 1, pulses: [], end: 10_000 })
})

test('returns a change that happens while the intent is read', async () => {
  const { store, wait } = startWaits()
  const { seen, result } = wait({
    read: async () => {
      const snapshot = store.snapshot()
      store.intent = paid(store.intent)
      store.change({ intentId: store.intent.id })
      return snapshot
    },
  })
  expect((await result).version).toBe(2)
  expect(seen.end).toBe(0)
})

test('reads again within a second after a deadline of the environment', async () => {
  const { store, wait } = startWaits()
  const { seen, result } = wait({
    read: async () => {
      const at = new Date(Date.now() + clockOffset)
      if (at >= expiresAt(store.intent)) store.intent = paid(store.intent)
      return store.snapshot(at)
    },
  })
  const soon = new Date(Date.now() + clockOffset - 24 * 60 * minute + 5000)
  store.intent = { ...store.intent, createdAt: soon }
  store.change('environments')
  await vi.advanceTimersByTimeAsync(6000)
  expect((await result).version).toBe(2)
  expect(seen.end).toBeGreaterThanOrEqual(5000)
})

test('waits through an outage of the store', async () => {
  const { store, wait } = startWaits()
  let isAway = false
  const { seen, result } = wait({
    read: async () => {
      if (isAway) throw new StoreError('08006')
      return store.snapshot()
    },
  })
  await vi.advanceTimersByTimeAsync(100)
  isAway = true
  store.change('environments')
  await vi.advanceTimersByTimeAsync(5000)
  expect(seen.end).toBeUndefined()
  store.intent = paid(store.intent)
  isAway = false
  await vi.advanceTimersByTimeAsync(1000)
  expect((await result).version).toBe(2)
})
