import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fieldErrorCodes, problemCodes, routes } from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the README lists every code of a field error', () => {
  const [, errors = ''] = readme.split('## Errors')
  const rows = [...errors.matchAll(/^\| (`.+?) \|/gm)].map(([, cell = '']) => cell)
  const codes = rows.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code))
  expect(codes.filter((code) => code !== undefined).sort()).toEqual([...fieldErrorCodes].sort())
})

test('the README lists every route, and every code with its status', () => {
  const shown = [...readme.matchAll(/^\| `routes\.(\w+)` \| `(\w+) (\S+)` \|/gm)]
  expect(shown.map(([, operation, method, path]) => ({ operation, method, path }))).toEqual(
    Object.values(routes),
  )
  const rows = [...readme.matchAll(/^\| (\d{3}) \| (.+) \|$/gm)]
  const codes = rows.flatMap(([, status, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)]),
  )
  expect(codes).toEqual(Object.entries(problemCodes).map(([code, { status }]) => [code, status]))
})
