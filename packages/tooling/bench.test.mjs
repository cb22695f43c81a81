// The page of the docs that shows the last benchmark: made by it, whole, and what the README quotes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { badgeOf, mark, pageOf, rowsOf, withBadge } from '../../.ci/bench/page.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rooms = ['packages/server', 'packages/element', 'packages/service', 'demo']
const page = readFileSync(join(root, 'packages/BENCHMARKS.md'), 'utf8')

test('the page of the benchmarks is the one that the benchmark wrote', () => {
  expect(page.split('\n')[0]).toBe(mark)
})

test('every row that a benchmark defines stands on the page, and no other', async () => {
  const tables = await Promise.all(
    rooms.map(async (room) => (await import(join(root, room, 'bench/table.ts'))).table),
  )
  const pairs = (rows) => rows.map(({ what, against }) => `${what} / ${against}`).sort()
  expect(pairs(rowsOf(page))).toEqual(pairs(tables.flat()))
})

test('the README quotes ratios of that page', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(withBadge(readme, badgeOf(rowsOf(page)))).toBe(readme)
})

test('a page gives back the rows that it was made of', () => {
  const row = { what: 'create()', against: 'fetch', ratio: 0.7, low: 0.6, high: 0.8 }
  const rows = [{ ...row, target: '≤ 1', met: true, note: 'idle' }]
  const room = { rows, runs: [{ what: 'create()', microseconds: 100 }] }
  const made = { date: '2026-11-21', minutes: 9, machine: 'one', versions: {}, rooms: { room } }
  expect(rowsOf(pageOf(made))).toEqual([{ what: 'create()', against: 'fetch', ratio: 0.7 }])
  expect(pageOf(made)).toContain('| create() | fetch | 0.7 | 0.6–0.8 | ≤ 1 | yes | idle |')
})
