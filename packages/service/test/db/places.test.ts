import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Overloaded } from '../../src/db/errors.ts'
import { withPlaces } from '../../src/db/places.ts'
import { openTestStore } from '../support/store.ts'

test('keeps the store free for others while thousands of requests wait for a place', async () => {
  const db = await openTestStore()
  const limited = withPlaces(db)
  const flood = Array.from({ length: 3000 }, () => limited.query`select pg_sleep(0.001)`)
  const ended = Promise.allSettled(flood)
  const result = await Promise.race([db.query`select 1 as one`, sleep(1000, 'late')])
  expect(result).toEqual([{ one: 1 }])
  const failures = (await ended).flatMap((each) => (each.status === 'rejected' ? each.reason : []))
  expect(failures.length).toBeGreaterThan(1500)
  expect(failures.every((error) => error instanceof Overloaded)).toBe(true)
  expect(await limited.query`select 2 as two`).toEqual([{ two: 2 }])
  await expect(limited.query`select 1 / 0`).rejects.toThrow('22012')
  expect(await limited.transaction(async (tx) => await tx.query`select 3 as three`)).toEqual([
    { three: 3 },
  ])
})
