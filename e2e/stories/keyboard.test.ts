import type { Locator, Page } from '@playwright/test'
import {
  challengePage,
  expectOrder,
  hostedPage,
  payButton,
  pressToClose,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a buyer with a keyboard alone buys, pays and passes the challenge', {
  tag: '@firefox',
}, async ({ page }) => {
  await page.goto('/')
  await press(page, page.getByTestId('add-to-cart').first(), 'Enter')
  await expect(page.getByTestId('cart-count')).toHaveText('1')
  await page.goto('/cart')
  await press(page, page.getByTestId('place-order'), 'Enter')
  await expect(payButton(page)).toBeEnabled()

  const form = hostedPage(page)
  await type(page, form.getByLabel('Card number'), '4000000000003220')
  await type(page, form.getByLabel('Expiry date'), '1234')
  await type(page, form.getByLabel('Security code'), '123')
  await type(page, form.getByLabel('Name on card'), 'Ani Petrosyan')
  await press(page, payButton(page), 'Enter')
  const code = challengePage(page).getByLabel('Code')
  await expect(code).toBeFocused()
  await page.keyboard.type('1234')
  const confirm = challengePage(page).getByRole('button', { name: 'Confirm' })
  await pressToClose(confirm, () => press(page, confirm, 'Enter'))
  await expectOrder(page, 'paid')
})

async function type(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field)
  await page.keyboard.type(text)
}

async function press(page: Page, button: Locator, key: string): Promise<void> {
  await tabTo(page, button)
  await page.keyboard.press(key)
}

/** Presses Tab until something has the focus, as a person does who cannot use a pointer. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const focused = () =>
    target.evaluate((element) => element.ownerDocument.hasFocus() && element.matches(':focus'))
  for (let presses = 0; presses < 60; presses++) {
    if (await focused()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${String(target)}`)
}
