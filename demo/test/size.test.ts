import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { builtPages } from '../server/assets.ts'

const assets = join(builtPages, 'assets')

test('all pages together load at most 22 kB of script, element included', () => {
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  const bytes = scripts.map((name) => gzipSync(readFileSync(join(assets, name))).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(22_000)
})

test('no script of a page contains zod, a key, or a source map', () => {
  for (const name of readdirSync(assets)) {
    expect(name).not.toMatch(/\.map$/)
    if (!name.endsWith('.js')) continue
    const script = readFileSync(join(assets, name), 'utf8')
    expect(script).not.toContain('pi_sk_test')
    expect(script).not.toContain('ZodError')
    expect(script).not.toContain('sourceMappingURL')
  }
})
