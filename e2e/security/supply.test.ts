import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { root } from '../fixtures/program.ts'

const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')

test('row 68: every package comes from the registry with its checksum, and only listed ones run a script', () => {
  const resolutions = lockfile.match(/^ {4}resolution: .*$/gm) ?? []
  expect(resolutions.length).toBeGreaterThan(100)
  expect(resolutions.filter((line) => !/\{integrity: sha512-[\w+/=]+\}$/.test(line))).toEqual([])
  expect(lockfile).not.toMatch(/(?<![\w-])(?:git\+|codeload|github\.com|http:\/\/|file:)/)
  const [, allowed = ''] = /^allowBuilds:\n((?: .*\n)*)/m.exec(workspace) ?? []
  const running = [...allowed.matchAll(/^ {2}'?([\w@/-]+)'?: true/gm)].map(([, name]) => name)
  expect(running).toEqual(['esbuild'])
})
