import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'

const file = inject('standalone')

test('the self-contained file, Lit included, is at most 10 500 bytes of gzip', () => {
  expect(gzipSync(file, { level: 9 }).byteLength).toBeLessThanOrEqual(10_500)
})

test('the self-contained file imports nothing and holds no zod (threat 52)', () => {
  expect(file).not.toMatch(/\bimport\s*[{*'"(]|\bfrom\s*['"]/)
  expect(file.toLowerCase()).not.toContain('zod')
  expect(file).toContain('import.meta.url')
})

test('the README prints the integrity of the self-contained file', () => {
  const integrity = `sha384-${createHash('sha384').update(file).digest('base64')}`
  expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain(integrity)
})

test('the npm build has no module where the self-contained file goes', () => {
  // tsc and Vite write into one folder, and the last one wins.
  expect(existsSync(new URL('../src/pi-checkout.ts', import.meta.url))).toBe(false)
})
