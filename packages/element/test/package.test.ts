import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('..', import.meta.url))

/** A shop that has installed the package as it is published. */
const shop = mkdtempSync(join(tmpdir(), 'pi-checkout-'))
/** The self-contained file. */
let file = ''

beforeAll(async () => {
  const installed = join(shop, 'node_modules/@pi-checkout/element')
  const outDir = join(installed, 'dist')
  for (const mode of ['production', 'standalone']) {
    const configFile = `${root}/vite.config.ts`
    await build({ configFile, root, mode, logLevel: 'error', build: { outDir } })
  }
  file = readFileSync(join(outDir, 'pi-checkout.js'), 'utf8')
  const { name, version, type } = manifest
  const published = { name, version, type, exports: manifest.publishConfig.exports }
  writeFileSync(join(installed, 'package.json'), JSON.stringify(published))
})

afterAll(() => rmSync(shop, { recursive: true }))

test('the self-contained file imports nothing and contains no zod', () => {
  expect(file).not.toMatch(/\bimport\s*[{*'"(]|\bfrom\s*['"]/)
  expect(file.toLowerCase()).not.toContain('zod')
  expect(file).toContain('import.meta.url')
})

test.each([['--conditions=development'], ['--conditions=browser']])(
  'the package imports in Node.js with %s, without output, and leaves no class of a document',
  async (condition) => {
    const script = `
      import { PiCheckout } from '@pi-checkout/element'
      import '@pi-checkout/element/testing'
      console.log(PiCheckout.name, typeof HTMLElement, typeof customElements)`
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [condition, '--input-type=module', '--eval', script],
      { cwd: shop, env: { PATH: process.env.PATH } },
    )
    expect([stdout, stderr]).toEqual(['PiCheckout undefined undefined\n', ''])
  },
)
