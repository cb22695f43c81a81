import { join } from 'node:path'
import { payWith } from '@pi-checkout/element/testing'
import { SandboxEnvironment } from '@pi-checkout/service/testing'
import { variablesOf } from '@pi-checkout/test-support/example'
import { freePort } from '@pi-checkout/test-support/free-port'
import { root, startProgram } from '@pi-checkout/test-support/process'
import type { Page } from '@playwright/test'
import { expect, test } from '../fixtures/test-stack.ts'

/** What each of the tests does that a merchant runs side by side, in separate environments. */
const tests: readonly ((page: Page, sandbox: SandboxEnvironment) => Promise<void>)[] = [
  async (page, sandbox) => {
    await payWith(page, 'succeeded')
    await expect(page.locator('[slot=paid]')).toBeVisible()
    expect(await sandbox.intents()).toMatchObject([{ status: 'succeeded', amount: 150_000 }])
  },
  async (page, sandbox) => {
    await expect.poll(async () => (await sandbox.intents()).length).toBe(1)
    await sandbox.advance(25 * 60 * 60 * 1000)
    expect(await sandbox.intents()).toMatchObject([{ status: 'expired' }])
    await expect(page.locator('[slot=paid]')).toBeHidden()
  },
]

test('tests with an environment each do not disturb each other', async ({ browser, stack }) => {
  const run = async (at: number): Promise<void> => {
    const sandbox = await SandboxEnvironment.create(stack.api, [])
    const port = await freePort()
    const origin = `http://localhost:${port}`
    await sandbox.addOrigin(origin)
    // A response is lost in every other environment.
    if (at >= tests.length) await sandbox.addFault('create', 'drop-after-commit')
    const variables = variablesOf({ ...stack.api, apiKey: sandbox.apiKey })
    const env = { ...variables, PORT: String(port) }
    const { stop } = await startProgram([join(root, 'demo/examples/node.mjs')], { env })
    const page = await browser.newPage()
    await page.goto(origin)
    await tests[at % tests.length]?.(page, sandbox)
    await page.close()
    await stop()
    await sandbox.delete()
  }
  await Promise.all([0, 1, 2, 3].map(run))
})
