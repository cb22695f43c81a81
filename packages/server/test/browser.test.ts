import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { build, type Rolldown } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import * as real from '../src/index.ts'
import { fakeService } from '../src/testing/fake-service.ts'

test.each([
  ['import "@pi-checkout/server"', ''],
  ['import { PaymentIntents } from "@pi-checkout/server"', 'new PaymentIntents()'],
  ['import * as all from "@pi-checkout/server"', 'console.log(all)'],
])('a page with %s gets the reason, and no code of the package (threat 1)', async (...lines) => {
  const code = await bundle([...lines, 'console.log("page")'].join('\n'))
  expect(code).toContain('belongs on the server: it needs the secret API key')
  expect(code).not.toContain('authorization')
})

test('the module for browsers exports every name of the package', async () => {
  const source = await readFile(new URL('../src/browser.ts', import.meta.url), 'utf8')
  const names = [...source.matchAll(/rejected as (\w+)/g)].map(([, name]) => name)
  expect(names.sort()).toEqual(Object.keys(real).sort())
})

// As wrangler and Next.js resolve, with a page's conditions last.
test.each(['workerd', 'edge-light'])('a bundle with %s runs without Node.js', async (runtime) => {
  const conditions = [runtime, 'worker', 'browser']
  const code = await bundle(`export * from '@pi-checkout/server'`, { conditions, format: 'iife' })
  const nodeOnly = ['process', 'Buffer', 'global', 'setImmediate']
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !nodeOnly.includes(name))
  const web = Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]))
  const run = compileFunction(`${code}\nreturn bundled`, ['globalThis', ...nodeOnly])
  const { createCheckout, memoryPayments, PaymentIntents }: typeof real = run(web)
  const { fetch, options } = fakeService()
  const order = { orderId: 'A-1', amount: 1000, currency: 'AMD' } as const
  const origin = 'https://shop.example'
  web.fetch = fetch
  const handle = createCheckout({
    intents: new PaymentIntents({ apiKey: options.apiKey, baseUrl: options.baseUrl }),
    shopOrigin: origin,
    authorize: () => order.orderId,
    order: () => order,
    payments: memoryPayments(),
    onPaid: () => true,
  })
  const headers = { origin, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: '{}' }
  const response = await handle(new Request(`${origin}/checkout/handoff`, init))
  expect(await response.json()).toMatchObject({ clientSecret: expect.any(String) })
})

async function bundle(
  code: string,
  { conditions, format = 'es' }: { conditions?: string[]; format?: 'es' | 'iife' } = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-checkout-page-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const scope = join(folder, 'node_modules/@pi-checkout')
  await mkdir(scope, { recursive: true })
  await symlink(fileURLToPath(new URL('..', import.meta.url)), join(scope, 'server'))
  await writeFile(join(folder, 'page.js'), code)
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root: folder,
    ...(conditions && { resolve: { conditions } }),
    build: {
      write: false,
      minify: false,
      lib: { entry: 'page.js', formats: [format], name: 'bundled' },
    },
  })
  const [output] = [result].flat() as Rolldown.RolldownOutput[]
  return output?.output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('') ?? ''
}
