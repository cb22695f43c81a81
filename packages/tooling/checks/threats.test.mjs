// Each threat in SECURITY.md has a test that shows its defense, and each tag in a title names a row.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@pi-checkout/test-support/process'
import { expect, test } from 'vitest'

const rows = readFileSync(join(root, '.github/SECURITY.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
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
  const files = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx', '*.test.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  const tags = files
    .trim()
    .split('\n')
    .flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(/\(threats? ([\d, ]+)\)['"`]/g),
    ])
  return new Set(tags.flatMap(([, numbers]) => numbers.split(', ').map(Number)))
}
