import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type VersionWait, waitForVersion } from '../../src/checkout/wait-for-version.ts'
import type { Change, Database } from '../../src/db/database.ts'
import { createNotifier } from '../../src/notifier/notifier.ts'

let change: (change: Change) => void = () => {}
const query = vi.fn(async () => [])
const listen: Database['listen'] = (listener) => {
  change = listener
}
const notifier = createNotifier(
  { db: { query, listen } as never, log: pino({ level: 'silent' }), now: () => new Date() },
  new AbortController().signal,
)
const clockOffset = 3600_000
const seen: unknown[] = []

beforeEach(() => {
  // Not at a full second.
  vi.useFakeTimers()
  vi.advanceTimersByTime(300)
  seen.length = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function snapshot(version: number, settlement: { readonly at: Date } | null = null): never {
  const intent = { status: 'processing', settlement, version }
  return { intent, environment: { clockOffset } } as never
}

/** Waits for version 2, and returns the snapshot with the time at which the wait ended. */
async function wait(given: Partial<VersionWait> = {}): Promise<readonly [unknown, number]> {
  const key = { id: 'pi_1', environmentId: 'env_test' }
  const begun = performance.now()
  const found = await waitForVersion(notifier, key, {
    ...{ version: 2, lifetime: Infinity, session: 's', signal: new AbortController().signal },
    read: async (woken) => {
      seen.push(woken)
      return snapshot(1)
    },
    ...given,
  })
  return [found, performance.now() - begun]
}

for (const [random, lifetime, short, long, pulse] of [
  [0, Infinity, 25_000, 600_000, 45_000],
  [0.5, Infinity, 22_500, 540_000, 40_000],
  [0, 50_000, 25_000, 50_000, 45_000],
  [0, 10_000, 10_000, 10_000, undefined],
] as const) {
  test(`waits for ${short} or ${long} ms of ${lifetime}, with pulses (${random})`, async () => {
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const start = performance.now()
    const pulses: number[] = []
    const onPulse = (): void => void pulses.push(performance.now())
    const waiting = Promise.all([wait({ lifetime }), wait({ lifetime, onPulse })])
    await vi.runAllTimersAsync()
    expect(await waiting).toEqual([
      [snapshot(1), short],
      [snapshot(1), long],
    ])
    expect(seen).toEqual([undefined, undefined])
    expect(pulses[0]).toBe(pulse && Math.floor((start + pulse) / 1000) * 1000)
    for (const [at, time] of pulses.entries()) {
      expect(time % 1000).toBe(0)
      expect(time - (pulses[at - 1] ?? start)).toBeLessThanOrEqual(45_000)
    }
    change('unknown')
    expect(query).not.toHaveBeenCalled()
  })
}

test('reads again after a change, until the version is reached', async () => {
  const read = async (woken: unknown): Promise<never> => snapshot(seen.push(woken))
  const waiting = wait({ version: 3, read })
  for (const notice of ['environments', { intentId: 'pi_1', version: 3 }] as const) {
    await vi.advanceTimersByTimeAsync(10)
    change(notice)
  }
  expect(await waiting).toEqual([snapshot(3), 20])
  expect(seen).toEqual([undefined, 'environments', 'changed'])
})

test('reads again at a deadline of the clock of its environment', async () => {
  const at = new Date(Date.now() + clockOffset + 5000)
  const read = async (woken: unknown): Promise<never> => snapshot(seen.push(woken), { at })
  const waiting = wait({ read })
  await vi.runAllTimersAsync()
  expect(await waiting).toEqual([snapshot(2, { at }), 5000])
})

test('ends with its request, and at once for an unknown intent', async () => {
  const request = new AbortController()
  const waiting = wait({ signal: request.signal })
  await vi.advanceTimersByTimeAsync(10)
  request.abort()
  expect(await waiting).toEqual([snapshot(1), 10])
  expect(await wait({ read: async () => undefined })).toEqual([undefined, 0])
})
