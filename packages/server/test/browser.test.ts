import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import * as real from '../src/index.ts'

const imports = [
  "import '@pi-checkout/server'",
  "import { PaymentIntents } from '@pi-checkout/server'\nnew PaymentIntents()",
  "import * as all from '@pi-checkout/server'\nconsole.log(all)",
]
for (const statement of imports) {
  test(`a page with ${statement.split('\n')[0]} gets the reason, and no code of the package`, async () => {
    const code = await bundledPage(statement)
    expect(code).toContain('belongs on the server: it needs the secret API key')
    expect(code).not.toContain('authorization')
  })
}

test('the module for browsers exports every name of the package', async () => {
  const source = await readFile(new URL('../src/browser.ts', import.meta.url), 'utf8')
  const names = [...source.matchAll(/rejected as (\w+)/g)].map(([, name]) => name)
  expect(names.sort()).toEqual(Object.keys(real).sort())
})

async function bundledPage(statement: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-checkout-page-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const scope = join(folder, 'node_modules/@pi-checkout')
  await mkdir(scope, { recursive: true })
  await symlink(fileURLToPath(new URL('..', import.meta.url)), join(scope, 'server'))
  await writeFile(join(folder, 'page.js'), `${statement}\nconsole.log('page')`)
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root: folder,
    build: { write: false, lib: { entry: 'page.js', formats: ['es'] }, minify: false },
  })
  const [output] = [result].flat() as Rolldown.RolldownOutput[]
  return output?.output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('') ?? ''
}
