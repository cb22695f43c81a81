import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fieldErrorCodes } from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test("the README's example prints what its comments say", () => {
  const [, code = ''] = /```ts\n(.+?)```/s.exec(readme) ?? []
  const options = ['--conditions=source', '--import=tsx', '--input-type=module', '--eval', code]
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const { stdout, stderr } = spawnSync(process.execPath, options, { cwd, encoding: 'utf8' })
  const promised = [...code.matchAll(/console\.log.*\/\/ (.+)$/gm)].map(([, said]) => said)
  expect(promised.length).toBeGreaterThan(0)
  expect(stdout.trim().split('\n'), stderr).toEqual(promised)
})

test("the README's table lists every code of a field's fault", () => {
  const rows = [...readme.matchAll(/^\| (`.+?) \|/gm)].map(([, cell = '']) => cell)
  const codes = rows.flatMap((cell) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code))
  expect(codes.filter((code) => code !== undefined).sort()).toEqual([...fieldErrorCodes].sort())
})
