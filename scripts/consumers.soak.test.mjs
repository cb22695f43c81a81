// What a merchant's own tools do with the packed packages: compilers and test runners.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '@pi-checkout/test-support/process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { install } from './install.mjs'
import { pack } from './pack.mjs'

const folder = mkdtempSync(join(tmpdir(), 'pi-consumers-'))
const tools = [
  'typescript-5@npm:typescript@5.9.3',
  'typescript-7@npm:typescript@7.0.2',
  '@cloudflare/workers-types@5.20261117.1',
  '@types/express@5.0.6',
  '@types/node@24',
  '@types/react@19.3.0',
  'vue@3.5.45',
  '@playwright/test@1.64.1',
  'express@5.3.0',
  'react@19.3.1',
  'react-dom@19.3.1',
  'svelte@5.57.3',
  'jest@30.5.2',
  'jest-environment-jsdom@30.5.2',
  'vitest@4.1.12',
  'jsdom@26.1.0',
]

beforeAll(async () => {
  const tarballs = pack(join(folder, 'vendor'))
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await install(folder, [...tools, ...tarballs.values()])
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000)

const server = `
import { createCheckout, type CheckoutOrder, memoryPayments, PaymentIntents } from '@pi-checkout/server'
import { toNode } from '@pi-checkout/server/node'
import { fakeService } from '@pi-checkout/server/testing'
import { startService } from '@pi-checkout/service'
import express from 'express'
let order: CheckoutOrder = { orderId: crypto.randomUUID().replaceAll('-', ''), amount: 150000, currency: 'AMD' }
let paidBy = ''
const checkout = createCheckout({
  intents: new PaymentIntents(fakeService().options),
  shopOrigin: 'https://shop.example',
  authorize: () => order.orderId,
  order: () => order,
  payments: memoryPayments(),
  onPaid: ({ payment }) => {
    paidBy = payment.intentId
    return paidBy !== ''
  },
})
express().use(toNode(checkout))
export const listener = toNode(checkout)
export const service = await startService()
// @ts-expect-error The currency is not one of the specification.
order = { ...order, currency: 'XXX' }
`
const page = `
import { configureCheckout } from '@pi-checkout/element'
import { followPayment, type OrderRequest, postHandoff } from '@pi-checkout/element/client'
import { PiCheckout } from '@pi-checkout/element/react'
import { payWith } from '@pi-checkout/element/testing'
import '@pi-checkout/element/vue'
import '@pi-checkout/element/svelte'
configureCheckout({ checkoutOrigin: 'https://pay.example' })
export function Checkout() {
  return <PiCheckout basePath="/checkout" orderId="A-1" onPhase={({ phase }) => phase === 'paid'} />
}
const pay = document.querySelector('pi-checkout')
if (pay) {
  pay.fetchHandoff = (options) => postHandoff('/checkout/handoff', options)
  // @ts-expect-error A property that the element does not have.
  pay.fetchhandoff = pay.fetchHandoff
  pay.addEventListener('pi-phase', ({ phase }) => phase === 'paid')
  pay.addEventListener('pi-ready', () => pay.focus())
}
export const [phase, outcome] = [await followPayment('/checkout/status'), payWith]
`

// That every entry resolves with nodenext and node16 is seen in packages.soak.test.mjs, which is faster.
for (const version of [5, 7]) {
  test.concurrent(`the types compile with TypeScript ${version}`, {
    timeout: 300_000,
  }, async ({ expect }) => {
    const home = join(folder, `types-${version}`)
    mkdirSync(home)
    writeFileSync(join(home, 'server.ts'), server)
    writeFileSync(join(home, 'page.tsx'), page)
    const compilerOptions = {
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      jsx: 'react-jsx',
      types: ['node'],
    }
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const tsc = join(folder, `node_modules/typescript-${version}/bin/tsc`)
    const { output } = await runProgram([tsc, '-p', home], { cwd: folder })
    expect(output).toBe('')
  })
}

test.concurrent('the server compiles for Workers, with the library of ES2020', {
  timeout: 300_000,
}, async ({ expect }) => {
  const worker = join(folder, 'worker.ts')
  writeFileSync(worker, "export { createCheckout, PaymentIntents } from '@pi-checkout/server'\n")
  const tsc = join(folder, 'node_modules/typescript-7/bin/tsc')
  const flags = '--noEmit --strict --module esnext --moduleResolution bundler --lib es2020'.split(
    ' ',
  )
  const types = ['--types', '@cloudflare/workers-types', worker]
  const { output } = await runProgram([tsc, ...flags, ...types], { cwd: folder })
  expect(output).toBe('')
})

for (const [runner, command] of [
  ['Jest', ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--env=jsdom']],
  ['Vitest', ['node_modules/vitest/vitest.mjs', 'run', '--environment=jsdom', '--globals']],
]) {
  test(`${runner} with jsdom imports and renders the element`, { timeout: 120_000 }, async () => {
    const code = `
      import { createElement } from 'react'
      import { renderToString } from 'react-dom/server.node'
      import { configureCheckout } from '@pi-checkout/element'
      import { PiCheckout } from '@pi-checkout/element/react'
      test('renders', async () => {
        configureCheckout({ checkoutOrigin: 'https://pay.example' })
        document.body.innerHTML = '<pi-checkout></pi-checkout>'
        const pay = document.querySelector('pi-checkout')
        await pay.updateComplete
        expect([pay.state, pay.shadowRoot === null]).toEqual(['idle', false])
        const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
        expect(renderToString(createElement(PiCheckout, { handoff }))).toBe('<pi-checkout></pi-checkout>')
      })`
    writeFileSync(join(folder, 'element.test.js'), code)
    const env = { NODE_ENV: undefined, VITEST: undefined, CI: 'true' }
    const ran = await runProgram(command, { cwd: folder, env })
    expect([ran.code, ran.code === 0 ? '' : ran.output + ran.errors]).toEqual([0, ''])
    expect(ran.output + ran.errors).toMatch(/1 passed/)
  })
}
