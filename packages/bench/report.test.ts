import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mark, pageOf, quoteOf, rowsOf, withQuote } from './report.ts'
import { sections } from './rows.ts'

const page = readFileSync(new URL('BENCHMARKS.md', import.meta.url), 'utf8')

test('the page is generated and has exactly the defined rows', () => {
  const names = (rows: readonly { what: string; against: string }[]) =>
    rows.map(({ what, against }) => `${what} / ${against}`).sort()
  expect(page.split('\n')[0]).toBe(mark)
  expect(names(rowsOf(page))).toEqual(names(Object.values(sections).flat()))
})

test('the README quotes ratios of the page', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  expect(withQuote(readme, quoteOf(rowsOf(page)))).toBe(readme)
})

test('a page contains the rows of its report', () => {
  const row = { what: 'create()', against: 'fetch', ratio: 0.7, low: 0.6, high: 0.8 }
  const rows = [{ ...row, target: '≤ 1', met: true, note: 'idle' }] as const
  const figures = [{ what: 'create()', microseconds: 100 }]
  const report = { date: '2026-11-21', minutes: 9, machine: 'one', versions: {} }
  const made = pageOf({ ...report, sections: { 'packages/server': { rows, figures } } })
  expect(rowsOf(made)).toEqual([{ what: 'create()', against: 'fetch', ratio: 0.7 }])
  expect(made).toContain('| create() | fetch | 0.7 | 0.6–0.8 | ≤ 1 | yes | idle |')
})
