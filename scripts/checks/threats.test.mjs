// Each threat in SECURITY.md has a test that shows its defense, and each tag in a title names a row.
import { expect, test } from 'vitest'
import { repositoryFiles } from '../files.mjs'

const [{ text: guide }] = repositoryFiles('.github/SECURITY.md')
const rows = guide.split('\n').flatMap((line) => {
  const [, row, defense] = /^\| (\d+) \|.*\| (.+) \|$/.exec(line) ?? []
  return row ? [{ row: Number(row), isDefended: !defense.startsWith('**Not defended') }] : []
})

test('numbers the rows of the threat table without a gap', () => {
  expect(rows.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1))
})

test('shows the defense against each threat in at least one test', () => {
  const tagged = taggedThreats()
  const missing = rows.filter(({ row, isDefended }) => isDefended !== tagged.has(row))
  expect(missing).toEqual([])
  expect([...tagged.keys()].filter((threat) => threat > rows.length)).toEqual([])
})

/** Returns each threat number that a test title names. */
function taggedThreats() {
  const tags = repositoryFiles('*.test.ts', '*.test.tsx', '*.test.mjs').flatMap(({ text }) => [
    ...text.matchAll(/\(threats? ([\d, ]+)\)['"`]/g),
  ])
  return new Set(tags.flatMap(([, numbers]) => numbers.split(', ').map(Number)))
}
