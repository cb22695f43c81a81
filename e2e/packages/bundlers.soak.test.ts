// What a merchant's bundlers make of the packed element.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '@pi-checkout/test-support/process'
import { install } from '../../scripts/install.mjs'
import { pack } from '../../scripts/pack.mjs'
import { expect, test } from '../fixtures/base-test.ts'

const tools = [
  'esbuild@0.28.2',
  'parcel@2.16.4',
  'webpack@5.112.2',
  'webpack-cli@7.3.1',
  'rollup@4.68.7',
  '@rollup/plugin-node-resolve@16.0.3',
]
const bundlers = {
  esbuild: ['esbuild', 'page.js', '--bundle', '--format=esm', '--minify', '--outfile=OUT/page.js'],
  Rollup: ['rollup', 'page.js', '--plugin', 'node-resolve', '--dir', 'OUT'],
  webpack: ['webpack', '--mode=production', '--entry=./page.js', '--output-path=OUT', '-o', 'OUT'],
  Parcel: ['parcel', 'build', 'page.html', '--dist-dir', 'OUT', '--no-cache', '--no-source-maps'],
}

test('the element bundled by each bundler is defined in a page', async ({ page }) => {
  test.setTimeout(600_000)
  const folder = mkdtempSync(join(tmpdir(), 'pi-bundled-'))
  const tarball = pack(join(folder, 'vendor')).get('element') ?? ''
  // Parcel reads `exports` only with this setting.
  const parcel = { '@parcel/resolver-default': { packageExports: true } }
  const files = {
    'package.json': JSON.stringify({ private: true, type: 'module', ...parcel }),
    'page.js': `
      import { configureCheckout } from '@pi-checkout/element'
      import { postHandoff } from '@pi-checkout/element/client'
      configureCheckout({ checkoutOrigin: 'https://pay.example' })
      document.title = [document.querySelector('pi-checkout').state, typeof postHandoff].join(' ')`,
    'page.html': '<script type="module" src="page.js"></script>',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  await install(folder, [...tools, tarball])
  for (const [name, bundle] of Object.entries(bundlers)) {
    const out = join(folder, `out-${name}`)
    const [program = '', ...args] = bundle.map((part) => part.replace('OUT', out))
    const command = join(folder, 'node_modules/.bin', program)
    const options = { command, cwd: folder, env: { NODE_ENV: undefined } }
    const { code, output, errors } = await runProgram(args, options)
    expect([name, code, code === 0 ? '' : output + errors]).toEqual([name, 0, ''])
    const [file = ''] = readdirSync(out).filter((each) => each.endsWith('.js'))
    await page.goto('about:blank')
    await page.setContent('<pi-checkout></pi-checkout>')
    await page.addScriptTag({ type: 'module', content: readFileSync(join(out, file), 'utf8') })
    await expect(page, name).toHaveTitle('idle function')
  }
  rmSync(folder, { recursive: true, force: true })
})
