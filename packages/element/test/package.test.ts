import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'

const file = inject('standalone')
const root = fileURLToPath(new URL('..', import.meta.url))

test('the self-contained file has at most 10,500 bytes of gzip, Lit included', () => {
  expect(gzipSync(file, { level: 9 }).byteLength).toBeLessThanOrEqual(10_500)
})

test('the self-contained file imports nothing and contains no zod (threat 52)', () => {
  expect(file).not.toMatch(/\bimport\s*[{*'"(]|\bfrom\s*['"]/)
  expect(file.toLowerCase()).not.toContain('zod')
  expect(file).toContain('import.meta.url')
})

test('no module has the path of the self-contained file', () => {
  // tsc and Vite write to one folder, and the last one would win.
  expect(existsSync(`${root}src/pi-checkout.ts`)).toBe(false)
})

test('each entry imports in Node.js without output, and only ./define registers the tag', async () => {
  const script = `
    import { PiCheckout } from '@pi-checkout/element'
    import '@pi-checkout/element/testing'
    const before = globalThis.customElements?.get('pi-checkout')
    await import('@pi-checkout/element/define')
    console.log(before === undefined, customElements.get('pi-checkout') === PiCheckout)`
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--conditions=source', '--input-type=module', '--eval', script],
    { cwd: root, env: { ...process.env, NODE_ENV: 'production' } },
  )
  expect([stdout, stderr]).toEqual(['true true\n', ''])
})
