import { expect, test } from 'vitest'
import { RecentMap } from '../../hosted/inspector/recent-map.ts'

test('keeps the entries that were set last, up to its limit', () => {
  const map = new RecentMap<number>(3)
  for (let value = 0; value < 10_000; value++) {
    map.set('often', value)
    map.set(`id ${value}`, value)
    expect(map.size).toBeLessThanOrEqual(3)
  }
  expect(map.get('often')).toBe(9999)
  expect(map.get('id 9999')).toBe(9999)
  expect(map.get('id 9997')).toBeUndefined()
  map.clear()
  expect(map.size).toBe(0)
})
