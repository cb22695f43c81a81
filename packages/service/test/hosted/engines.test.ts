import { firefoxPath } from '@pi-checkout/test-support/browsers'
import { describe, expect, test } from 'vitest'
import { expectResult, openShop, type ShopPage, useBrowserStack } from './browser.ts'

for (const engine of ['chromium', 'firefox'] as const) {
  describe.skipIf(engine === 'firefox' && !firefoxPath())(engine, () => {
    const stack = useBrowserStack(engine)

    // A hidden tab may not notice where its frames are, and lose the press.
    const press = async ({ page, frame }: ShopPage, name: string): Promise<void> => {
      await page.bringToFront()
      await stack.press(frame.getByRole('button', { name }))
    }
    const submitCode = async ({ page, bank }: ShopPage): Promise<void> => {
      await page.bringToFront()
      await bank.getByLabel('Code').fill('1234')
      await stack.press(bank.getByRole('button', { name: 'Confirm' }))
    }
    const elsewhere = async ({ frame }: ShopPage): Promise<void> =>
      await frame.getByText('This payment is being confirmed in another window.').waitFor()

    test('keeps the form after a decline, shows the reason, and accepts another card', async () => {
      const window = await openShop(stack, await stack.checkout.createIntent())
      const { frame } = window
      await window.pay('4000000000009995')
      await frame.getByRole('alert').getByText('There is not enough money on this card').waitFor()
      expect(await frame.getByLabel('Card number').inputValue()).toBe('4000 0000 0000 9995')
      expect((await window.messages()).at(-1)).not.toBe('finish')
      await window.pay('5555555555554444')
      await expectResult(window, 'paid')
      await window.close()
    })

    test('completes a challenge inside the page', async () => {
      const window = await openShop(stack, await stack.checkout.createIntent())
      await window.pay('4000000000003220')
      await window.bank.getByText('Ararat Tea House').waitFor()
      await window.bank.getByLabel('Code').fill('1234')
      await stack.press(window.bank.getByRole('button', { name: 'Confirm' }))
      await expectResult(window, 'paid')
      await window.close()
    })

    test('completes a redirect to the bank and back to the exact address', async () => {
      const pair = await stack.checkout.createIntent()
      // Signed, long, with a router in its fragment, of a shop that is busy while it is asked.
      const rest = `&note=a%20b&sign=1%2B2~&busy=2500&filter=${'x'.repeat(7800)}#/pay?step=2`
      const window = await openShop(stack, pair, { rest })
      const { page } = window
      const address = page.url()
      expect(address.length).toBeGreaterThan(8000)
      await window.pay('4000002760003184')
      await page.waitForURL(`${stack.checkout.challengeUrl}/bank`)
      await page.getByLabel('Code').fill('1234')
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.waitForURL(address)
      await expectResult(window, 'paid')
      expect(await window.messages()).toContain('finish')
      await window.close()
    })

    test('shows the challenge in the confirming window and offers it in the others', async () => {
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
      await submitCode(first)
      for (const window of [first, second, third]) await expectResult(window, 'paid')
      for (const window of [third, second, first]) await window.close()
    })

    test('moves the challenge to another window of the browser on request', async () => {
      const pair = await stack.checkout.createIntent()
      const first = await openShop(stack, pair)
      const second = await openShop(stack, pair, { beside: first })
      await first.pay('4000000000003220')
      await first.bank.getByLabel('Code').waitFor()
      await press(second, 'Confirm here')
      await second.bank.getByLabel('Code').waitFor()
      await elsewhere(first)
      await submitCode(second)
      for (const window of [first, second]) await expectResult(window, 'paid')
      for (const window of [second, first]) await window.close()
    })

    test('restarts a challenge that another browser has replaced', async () => {
      const pair = await stack.checkout.createIntent()
      const first = await openShop(stack, pair)
      const afar = await openShop(stack, pair)
      await first.pay('4000000000003220')
      await first.bank.getByLabel('Code').waitFor()
      await press(afar, 'Confirm here')
      await afar.bank.getByLabel('Code').waitFor()
      await submitCode(first)
      await first.frame.getByText('The confirmation was interrupted.').waitFor()
      await press(first, 'Confirm here')
      await submitCode(first)
      for (const window of [first, afar]) await expectResult(window, 'paid')
      for (const window of [afar, first]) await window.close()
    })

    test('leaves the challenge in its window when another one reloads', async () => {
      const pair = await stack.checkout.createIntent()
      const first = await openShop(stack, pair)
      const second = await openShop(stack, pair, { beside: first })
      await first.pay('4000000000003220')
      await first.bank.getByLabel('Code').waitFor()
      await second.page.reload()
      await elsewhere(second)
      await submitCode(first)
      for (const window of [first, second]) await expectResult(window, 'paid')
      for (const window of [second, first]) await window.close()
    })
  })
}
