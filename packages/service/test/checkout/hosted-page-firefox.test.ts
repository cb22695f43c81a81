import { firefoxPath } from '@pi-checkout/test-support/browsers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type BrowserStack, expectResult, openShop, startBrowserStack } from './browser.ts'

// A browser has no deadline on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

describe.skipIf(!firefoxPath())('in Firefox', () => {
  let stack: BrowserStack

  beforeAll(async () => {
    stack = await startBrowserStack('firefox')
  }, 120_000)
  afterAll(async () => await stack.close())

  test('a declined card leaves the form, and another card pays', async () => {
    const window = await openShop(stack, await stack.checkout.createIntent())
    await window.pay('4000000000000002')
    await window.frame.getByRole('alert').getByText('Your card was declined').waitFor()
    await window.pay('4242424242424242')
    await expectResult(window, 'paid')
    await window.close()
  })

  test('the bank asks inside the page, and the right code pays', async () => {
    const window = await openShop(stack, await stack.checkout.createIntent())
    await window.pay('4000000000003220')
    await window.bank.getByLabel('Code').fill('1234')
    await stack.press(window.bank.getByRole('button', { name: 'Confirm' }))
    await expectResult(window, 'paid')
    await window.close()
  })

  test('a bank that refuses framing moves the whole page, out and back', async () => {
    const pair = await stack.checkout.createIntent()
    const rest = `&note=a%20b&sign=1%2B2~&busy=2500&filter=${'x'.repeat(7800)}#/pay?step=2`
    const window = await openShop(stack, pair, { rest })
    const { page } = window
    const address = page.url()
    await window.pay('4000002760003184')
    await page.waitForURL(`${stack.checkout.challengeUrl}/bank`)
    await page.getByLabel('Code').fill('1234')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL(address)
    await expectResult(window, 'paid')
    expect(await window.messages()).toContain('finish')
    await window.close()
  })
})
