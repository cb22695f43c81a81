import { join } from 'node:path'
import {
  payWith,
  type SandboxEnvironment,
  type SandboxIntent,
  sandboxFixture,
} from '@pi-checkout/element/testing'
import { freePort } from '@pi-checkout/test-support/free-port'
import { root, startProgram } from '@pi-checkout/test-support/process'
import { test as base, expect } from '@playwright/test'

interface Fixtures {
  readonly shop: string
  readonly intents: () => Promise<readonly SandboxIntent[]>
}

/** Each test has a new shop, and so a new order. */
const test = base.extend<Fixtures, { sandbox: SandboxEnvironment }>({
  sandbox: sandboxFixture(),
  shop: async ({ sandbox }, use) => {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    await sandbox.addOrigin(origin)
    const env = { PI_API_KEY: sandbox.apiKey, PORT: String(port) }
    const { stop } = await startProgram([join(root, 'demo/examples/node.mjs')], { env })
    await use(origin)
    await stop()
  },
  intents: async ({ sandbox }, use) => {
    const before = new Set((await sandbox.intents()).map(({ id }) => id))
    await use(async () => (await sandbox.intents()).filter(({ id }) => !before.has(id)))
  },
})

test('pays', async ({ page, shop, intents }) => {
  await page.goto(shop)
  await payWith(page, 'succeeded')
  await expect(page.locator('output')).toHaveText('paid')
  expect(await intents()).toMatchObject([{ status: 'succeeded', amount: 150000 }])
})

test('pays with one intent after a lost response', async ({ page, shop, sandbox, intents }) => {
  await sandbox.addFault('create', 'drop-after-commit')
  await page.goto(shop)
  await payWith(page, 'succeeded')
  await expect(page.locator('output')).toHaveText('paid')
  expect(await intents()).toHaveLength(1)
})

test('expires after a day', async ({ page, shop, sandbox, intents }) => {
  await page.goto(shop)
  await expect.poll(async () => (await intents()).length).toBe(1)
  await sandbox.advance(25 * 60 * 60 * 1000)
  const [intent] = await intents()
  expect(intent).toMatchObject({ status: 'expired' })
})
