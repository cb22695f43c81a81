import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@pi-checkout/test-support/process'
import { expect, test } from '@playwright/test'
import { licenseTable, runtimePackages } from './licenses.ts'

const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')

test('takes every package from the registry with its checksum, and runs listed scripts only (threat 68)', () => {
  const resolutions = lockfile.match(/^ {4}resolution: .*$/gm) ?? []
  expect(resolutions.length).toBeGreaterThan(100)
  expect(resolutions.filter((line) => !/\{integrity: sha512-[\w+/=]+\}$/.test(line))).toEqual([])
  expect(lockfile).not.toMatch(/(?<![\w-])(?:git\+|codeload|github\.com|http:\/\/|file:)/)
  const [, allowed = ''] = /^allowBuilds:\n((?: .*\n)*)/m.exec(workspace) ?? []
  const running = [...allowed.matchAll(/^ {2}'?([\w@/-]+)'?: true/gm)].map(([, name]) => name)
  expect(running).toEqual(['esbuild'])
})

test('uses runtime packages with permissive licenses only, and lists them (threat 68)', () => {
  const packages = runtimePackages()
  expect(packages.length).toBeGreaterThan(20)
  const accepted =
    /^(?:MIT|ISC|BSD-2-Clause|BSD-3-Clause|0BSD|Apache-2\.0|BlueOak-1\.0\.0|PostgreSQL)$/
  const parts = (license: string): readonly string[] =>
    license.replace(/[()]/g, '').split(/ (?:OR|AND) /)
  expect(
    packages.filter(({ license }) => !parts(license).every((part) => accepted.test(part))),
  ).toEqual([])
  const file = join(root, '.github/LICENSES.md')
  // UPDATE_LICENSES=1 writes the file again, for a manual review.
  if (process.env.UPDATE_LICENSES) writeFileSync(file, licenseTable(packages))
  expect(readFileSync(file, 'utf8')).toBe(licenseTable(packages))
})
