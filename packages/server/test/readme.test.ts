import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exitCodes } from '../src/commands/exit-codes.ts'
import { errorCodes } from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test("the README's table of errors is the source's: code, meaning, what to do", () => {
  const [, table = ''] = readme.split('| code | meaning | what to do |\n|---|---|---|\n')
  const rows = [
    ...table
      .split('\n\n', 1)
      .join('')
      .matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm),
  ]
  expect(rows.map(([, code, meaning, advice]) => ({ code, meaning, advice }))).toEqual(
    Object.entries(errorCodes).map(([code, words]) => ({ code, ...words })),
  )
})

test("the README's list of exit codes is the source's", () => {
  const said = Object.values(exitCodes).map(({ code, meaning }) => `**${code}** ${meaning}`)
  expect(readme).toContain(`Exit codes: ${said.join(' · ')}.`)
})
