import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Change } from '../../src/db/database.ts'
import { createNotifier } from '../../src/notifier/notifier.ts'
import { atEnd } from '../support/lifetime.ts'

const soon = (): number => performance.now() + 300

/** Begins to wait for version 9 of two intents. The store has `rows` of them. */
function startWaiting(rows: readonly object[], now = new Date()) {
  const stopping = new AbortController()
  atEnd(() => stopping.abort())
  let notify = (_change: Change): void => {}
  const db = { listen: (listen: typeof notify) => (notify = listen), query: async () => rows }
  const log = pino({ enabled: false })
  const { begin } = createNotifier({ db: db as never, log, now: () => now }, stopping.signal)
  const { signal } = stopping
  const of = (id: string) => begin(id, 9, { session: id, signal })
  return { of, one: of('one'), two: of('two'), notify: (change: Change) => notify(change) }
}

test('keeps the newest four of twenty waits that a session begins at once', async () => {
  const { of } = startWaiting([])
  const waits = Array.from({ length: 20 }, () => of('three'))
  const woken = await Promise.all(waits.map(async (wait) => await wait.next(soon(), undefined)))
  expect(woken).toEqual([...Array(16).fill('over'), ...Array(4).fill('pause')])
})

test('wakes the wait whose deadline passes, and no other one', async () => {
  const now = new Date()
  const { one, two } = startWaiting([], now)
  const waits = [one.next(soon(), new Date(now.getTime() - 60_000)), two.next(soon(), undefined)]
  expect(await Promise.all(waits)).toEqual(['changed', 'pause'])
})

test('wakes for a change between the begin and the wait', async () => {
  const { one, two, notify } = startWaiting([])
  notify({ intentId: 'one', version: 9 })
  notify({ intentId: 'two', version: 8 })
  expect(await one.next(soon(), undefined)).toBe('changed')
  const again = [one.next(soon(), undefined), two.next(soon(), undefined)]
  expect(await Promise.all(again)).toEqual(['pause', 'pause'])
})

test('wakes the waits that differ from the store, if it is not known what has changed', async () => {
  const rows = [
    { id: 'one', version: 8, due: new Date(0) },
    { id: 'two', version: 8, due: null },
  ]
  const { one, two, notify } = startWaiting(rows)
  const waits = [one.next(soon(), undefined), two.next(soon(), undefined)]
  notify('unknown')
  expect(await Promise.all(waits)).toEqual(['changed', 'pause'])
})
