import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'
import type * as real from '../src/index.ts'
import { fakeService } from '../src/testing/fake-service.ts'

test('a bundle for Workers or an edge function runs without Node.js', async () => {
  const entry = fileURLToPath(new URL('../dist/index.js', import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'bundled' } },
  })
  const [{ output }] = [result].flat() as [Rolldown.RolldownOutput]
  const nodeOnly = ['process', 'Buffer', 'global', 'setImmediate']
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !nodeOnly.includes(name))
  const web = Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]))
  const run = compileFunction(`${output[0].code}\nreturn bundled`, ['globalThis', ...nodeOnly])
  const { createCheckout, memoryPayments, PaymentIntents }: typeof real = run(web)
  const { options } = fakeService()
  const order = { orderId: 'A-1', amount: 1000, currency: 'AMD' } as const
  const origin = 'https://shop.example'
  web.fetch = options.fetch
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
