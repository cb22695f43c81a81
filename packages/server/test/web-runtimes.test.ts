import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { build, type Rolldown } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import type * as real from '../src/index.ts'
import { fakeService } from '../src/testing/fake-service.ts'

// As wrangler and Next.js resolve, with a page's conditions last.
test.each(['workerd', 'edge-light'])('a bundle for %s runs without Node.js', async (runtime) => {
  const code = await bundle([runtime, 'worker', 'browser'])
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

async function bundle(conditions: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-checkout-bundle-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const scope = join(folder, 'node_modules/@pi-checkout')
  await mkdir(scope, { recursive: true })
  await symlink(fileURLToPath(new URL('..', import.meta.url)), join(scope, 'server'))
  await writeFile(join(folder, 'worker.js'), `export * from '@pi-checkout/server'`)
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root: folder,
    resolve: { conditions },
    build: {
      write: false,
      minify: false,
      lib: { entry: 'worker.js', formats: ['iife'], name: 'bundled' },
    },
  })
  const [output] = [result].flat() as Rolldown.RolldownOutput[]
  return output?.output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('') ?? ''
}
