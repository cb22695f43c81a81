import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createNotifier } from '../../src/notifier/notifier.ts'
import { atEnd } from '../support/lifetime.ts'

test('wakes an overdue wait, and no other one', async () => {
  const now = new Date()
  const rows = [
    { id: 'overdue', version: 1, due: new Date(now.getTime() - 60_000) },
    { id: 'other', version: 1, due: null },
  ]
  const stopping = new AbortController()
  atEnd(() => stopping.abort())
  const { waitFor } = createNotifier(
    {
      db: { kind: 'postgres', listen: () => {}, query: async () => rows } as never,
      log: pino({ enabled: false }),
      now: () => now,
    },
    stopping.signal,
  )
  const { signal } = stopping
  const waits = rows.map(({ id }) =>
    waitFor(id, 9, { holder: id, until: performance.now() + 300, signal }),
  )
  expect(await Promise.all(waits)).toEqual(['changed', 'over'])
})
