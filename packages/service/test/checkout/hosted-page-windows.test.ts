import { firefoxPath } from '@pi-checkout/test-support/browsers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type BrowserStack,
  expectResult,
  openShop,
  type ShopPage,
  startBrowserStack,
} from './browser.ts'

// A browser has no deadline on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

for (const engine of ['chromium', 'firefox'] as const) {
  describe.skipIf(engine === 'firefox' && !firefoxPath())(`two windows in ${engine}`, () => {
    let stack: BrowserStack

    beforeAll(async () => {
      stack = await startBrowserStack(engine)
    }, 120_000)
    afterAll(async () => await stack.close())

    // A hidden tab may not notice where its frames are, and lose the press.
    const press = async ({ page, frame }: ShopPage, name: string): Promise<void> => {
      await page.bringToFront()
      await stack.press(frame.getByRole('button', { name }))
    }
    const answer = async ({ page, bank }: ShopPage): Promise<void> => {
      await page.bringToFront()
      await bank.getByLabel('Code').fill('1234')
      await stack.press(bank.getByRole('button', { name: 'Confirm' }))
    }
    const elsewhere = async ({ frame }: ShopPage): Promise<void> =>
      await frame.getByText('This payment is being confirmed in another window.').waitFor()

    test('the window that confirmed asks for the code, and the other offers to', async () => {
      const pair = await stack.checkout.createIntent()
      const first = await openShop(stack, pair)
      const second = await openShop(stack, pair, { beside: first })
      // A separate profile: no message between windows of one browser reaches it.
      const third = await openShop(stack, pair)
      await first.pay('4000000000003220')
      await first.bank.getByLabel('Code').waitFor()
      for (const other of [second, third]) {
        await elsewhere(other)
        expect(await other.frame.locator('iframe').count()).toBe(0)
      }
      await answer(first)
      for (const window of [first, second, third]) await expectResult(window, 'paid')
      for (const window of [third, second, first]) await window.close()
    })

    test('the code moves to the window where the buyer asks for it, and the first says so', async () => {
      const pair = await stack.checkout.createIntent()
      const first = await openShop(stack, pair)
      const second = await openShop(stack, pair, { beside: first })
      await first.pay('4000000000003220')
      await first.bank.getByLabel('Code').waitFor()
      await press(second, 'Confirm here')
      await second.bank.getByLabel('Code').waitFor()
      await elsewhere(first)
      await answer(second)
      for (const window of [first, second]) await expectResult(window, 'paid')
      for (const window of [second, first]) await window.close()
    })

    test('a code that was replaced from afar can be asked for again', async () => {
      const pair = await stack.checkout.createIntent()
      const first = await openShop(stack, pair)
      const afar = await openShop(stack, pair)
      await first.pay('4000000000003220')
      await first.bank.getByLabel('Code').waitFor()
      await press(afar, 'Confirm here')
      await afar.bank.getByLabel('Code').waitFor()
      await answer(first)
      await first.frame.getByText('The confirmation was interrupted.').waitFor()
      await press(first, 'Confirm here')
      await answer(first)
      for (const window of [first, afar]) await expectResult(window, 'paid')
      for (const window of [afar, first]) await window.close()
    })

    test('a window that is loaded again leaves the code where it is shown', async () => {
      const pair = await stack.checkout.createIntent()
      const first = await openShop(stack, pair)
      const second = await openShop(stack, pair, { beside: first })
      await first.pay('4000000000003220')
      await first.bank.getByLabel('Code').waitFor()
      await second.page.reload()
      await elsewhere(second)
      await answer(first)
      for (const window of [first, second]) await expectResult(window, 'paid')
      for (const window of [second, first]) await window.close()
    })
  })
}
