import {
  challengePage,
  expectPaid,
  fillCard,
  hostedPage,
  openCheckout,
  passChallenge,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test("a buyer passes the bank's challenge inside the frame; shop, form, bank, and receipt show the same name and amount, in the shop’s color", {
  tag: '@firefox',
}, async ({ page, stack }) => {
  const { id } = await openCheckout(page)
  const amount = (await page.getByTestId('order-total').textContent()) ?? ''
  expect(amount).toContain('֏')
  const form = hostedPage(page)
  await expect(form.getByRole('heading', { name: 'Tsiran' })).toBeVisible()
  await expect(form.getByTestId('amount')).toHaveText(amount)
  const colors = () =>
    form.locator('.pay').evaluate((button) => {
      const style = getComputedStyle(button)
      return [style.backgroundColor, style.getPropertyValue('--good')]
    })
  await expect.poll(colors).toEqual(['rgb(173, 67, 24)', '#0b6b41'])
  await fillCard(page, '4000000000003220')
  await form.getByRole('button', { name: amount }).click()
  const bank = challengePage(page)
  await expect(bank.locator('dd').first()).toHaveText('Tsiran')
  await expect(bank.locator('dd').nth(1)).toHaveText(amount)
  await passChallenge(page)
  await expectPaid(page, stack, id)
  await expect(page.getByTestId('order-total')).toHaveText(amount)
  await expect(page.getByRole('main')).toContainText('Tsiran')
})
