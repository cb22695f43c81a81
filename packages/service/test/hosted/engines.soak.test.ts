import { firefoxPath } from '@pi-checkout/test-support/browsers'
import { describe, expect, test } from 'vitest'
import { expectResult, openShop, type ShopPage, startBrowserStack } from './browser.ts'

for (const engine of ['chromium', 'firefox'] as const) {
  if (engine === 'firefox' && !firefoxPath()) continue
  describe(engine, async () => {
    const stack = await startBrowserStack(engine)

    // A hidden tab may not notice where its iframes are, and lose the press.
    const confirmHere = async ({ page, frame }: ShopPage): Promise<void> => {
      await page.bringToFront()
      await stack.press(frame.getByRole('button', { name: 'Confirm here' }))
    }
    const submitCode = async (window: ShopPage): Promise<void> => {
      await window.page.bringToFront()
      await window.submitCode('1234')
    }
    const offered = async ({ frame }: ShopPage): Promise<void> =>
      await frame.getByText('This payment is being confirmed in another window.').waitFor()
    const openChallenge = async (window: ShopPage): Promise<void> => {
      await window.pay('4000000000003220')
      await window.bank.getByLabel('Code').waitFor()
    }

    test('keeps the form after a decline, shows the reason, and accepts another card', async () => {
      const window = await openShop(stack)
      await window.pay('4000000000009995')
      await window.alert('There is not enough money on this card')
      expect(await window.frame.getByLabel('Card number').inputValue()).toBe('4000 0000 0000 9995')
      expect((await window.messages()).at(-1)).not.toBe('finish')
      await window.pay('5555555555554444')
      await expectResult(window, 'paid')
    })

    test('completes a redirect to the bank and back to the exact address', async () => {
      // Signed and long, with a router in its fragment, in a shop that is busy when it gets `leave`.
      const rest = `&note=a%20b&sign=1%2B2~&busy=2500&filter=${'x'.repeat(7800)}#/pay?step=2`
      const window = await openShop(stack, { rest })
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
    })

    test('shows the challenge in the confirming window and offers it in the others', async () => {
      const first = await openShop(stack)
      const { pair } = first
      const second = await openShop(stack, { pair, nextTo: first })
      // A separate profile: no message between windows of one browser reaches it.
      const third = await openShop(stack, { pair })
      await openChallenge(first)
      await first.bank.getByText('Ararat Tea House').waitFor()
      for (const other of [second, third]) {
        await offered(other)
        expect(await other.frame.locator('iframe').count()).toBe(0)
      }
      await submitCode(first)
      for (const window of [first, second, third]) await expectResult(window, 'paid')
    })

    test('moves the challenge to another window of the browser on request', async () => {
      const first = await openShop(stack)
      const second = await openShop(stack, { pair: first.pair, nextTo: first })
      await openChallenge(first)
      await confirmHere(second)
      await second.bank.getByLabel('Code').waitFor()
      await offered(first)
      await submitCode(second)
      for (const window of [first, second]) await expectResult(window, 'paid')
    })

    test('restarts a challenge that another browser has replaced', async () => {
      const first = await openShop(stack)
      const other = await openShop(stack, { pair: first.pair })
      await openChallenge(first)
      await confirmHere(other)
      await other.bank.getByLabel('Code').waitFor()
      await submitCode(first)
      await first.frame.getByText('The confirmation was interrupted.').waitFor()
      await confirmHere(first)
      await submitCode(first)
      for (const window of [first, other]) await expectResult(window, 'paid')
    })

    test('leaves the challenge in its window when another one reloads', async () => {
      const first = await openShop(stack)
      const second = await openShop(stack, { pair: first.pair, nextTo: first })
      await openChallenge(first)
      await second.page.reload()
      await offered(second)
      await submitCode(first)
      for (const window of [first, second]) await expectResult(window, 'paid')
    })
  })
}
