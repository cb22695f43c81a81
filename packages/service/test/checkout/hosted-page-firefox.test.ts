import { firefoxPath } from '@pi-checkout/test-support/browsers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { expectResult, openWindow, startWorld, type World } from './browser.ts'

// A browser has no deadline on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

describe.skipIf(!firefoxPath())('in Firefox', () => {
  let world: World

  beforeAll(async () => {
    world = await startWorld('firefox')
  }, 120_000)
  afterAll(async () => await world.close())

  test('a declined card leaves the form, and another card pays', async () => {
    const window = await openWindow(world, await world.checkout.createIntent())
    await window.pay('4000000000000002')
    await window.frame.getByRole('alert').getByText('Your card was declined').waitFor()
    await window.pay('4242424242424242')
    await expectResult(window, 'paid')
    await window.close()
  })

  test('the bank asks inside the page, and the right code pays', async () => {
    const window = await openWindow(world, await world.checkout.createIntent())
    await window.pay('4000000000003220')
    await window.bank.getByLabel('Code').fill('1234')
    await world.press(window.bank.getByRole('button', { name: 'Confirm' }))
    await expectResult(window, 'paid')
    await window.close()
  })

  test('a bank that refuses framing moves the whole page, out and back', async () => {
    const pair = await world.checkout.createIntent()
    const rest = `&note=a%20b&sign=1%2B2~&busy=2500&filter=${'x'.repeat(7800)}#/pay?step=2`
    const window = await openWindow(world, pair, { rest })
    const { page } = window
    const address = page.url()
    await window.pay('4000002760003184')
    await page.waitForURL(`${world.checkout.challengeUrl}/bank`)
    await page.getByLabel('Code').fill('1234')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL(address)
    await expectResult(window, 'paid')
    expect(await window.said()).toContain('finish')
    await window.close()
  })
})
