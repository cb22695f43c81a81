// SECURITY.md names a test for each threat.
import { expect, test } from 'vitest'
import { repositoryFiles } from '../files.mjs'

test('each threat of the security guide names a test that exists', () => {
  const [{ text: guide }] = repositoryFiles('.github/SECURITY.md')
  const [, list] = guide.split('## Threats')
  const rows = [...list.matchAll(/^- \*\*(.+)\*\*: (.+)$/gm)]
  const files = repositoryFiles('*.test.ts', '*.test.tsx', '*.test.mjs')
  const tests = files.map(({ text }) => text).join()
  const isNamed = (title) => ["'", '"', '`'].some((quote) => tests.includes(quote + title))
  const missing = rows.filter(([, , title]) => !isNamed(title))
  expect(rows.length).toBeGreaterThan(50)
  expect(missing.map(([row]) => row)).toEqual([])
})
