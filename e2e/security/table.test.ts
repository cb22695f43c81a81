import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { root } from '../fixtures/program.ts'
import { makeTable, missingProofs, ownProofs } from './table.ts'
import { threats } from './threats.ts'

const guide = join(root, '.github/SECURITY.md')
const marked = /<!-- threats -->[\s\S]*?<!-- \/threats -->/

test('the table of threats in the security guide is what the tests show', () => {
  const written = readFileSync(guide, 'utf8')
  const block = `<!-- threats -->\n\n${makeTable()}\n\n<!-- /threats -->`
  const made = written.replace(marked, () => block)
  // UPDATE_SECURITY_TABLE=1 writes it anew, for a person to read.
  if (process.env.UPDATE_SECURITY_TABLE) writeFileSync(guide, made)
  expect(readFileSync(guide, 'utf8')).toBe(made)
  expect(marked.test(written)).toBe(true)
})

test('every row of the table stands once, and every test that it names is there', () => {
  expect(threats.map(({ row }) => row)).toEqual(Array.from({ length: 70 }, (_, i) => i + 1))
  expect(missingProofs()).toEqual([])
  expect(ownProofs().length).toBeGreaterThan(20)
})
