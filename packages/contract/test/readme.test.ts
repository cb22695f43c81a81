import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fieldErrorCodes } from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test("the README's table lists every code of a field's fault", () => {
  const rows = [...readme.matchAll(/^\| (`.+?) \|/gm)].map(([, cell = '']) => cell)
  const codes = rows.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code))
  expect(codes.filter((code) => code !== undefined).sort()).toEqual([...fieldErrorCodes].sort())
})
