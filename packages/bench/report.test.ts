import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mark, pageOf, quoteOf, rowsOf, withQuote } from './report.ts'
import { sections } from './rows.ts'
import { Samples } from './samples.ts'

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
  const samples = new Samples()
  samples.record('create()', { µs: 70 })
  const ours = ['create()', 'µs'] as const
  const row = samples.rowOf({
    what: 'x',
    against: 'y',
    ours,
    baseline: 100,
    target: '≤ 1',
    note: 'idle',
  })
  const report = { date: '2026-11-21', minutes: 9, machine: 'one', versions: {} }
  const measured = { rows: [row], figures: samples.medians() }
  const made = pageOf({ ...report, sections: { 'packages/server': measured } })
  expect(rowsOf(made)).toEqual([{ what: 'x', against: 'y', ratio: 0.7 }])
  expect(made).toContain('| x | y | 0.7 |  | ≤ 1 | yes | idle |')
  expect(made).toContain('- create(): µs 70')
})
