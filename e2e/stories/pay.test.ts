import { payWith } from '@pi-checkout/element/testing'
import { retrieve } from '../fixtures/api.ts'
import {
  addToCart,
  challengePage,
  expectOrder,
  hostedPage,
  openCheckout,
  pressToClose,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

const stories = [
  { title: 'a buyer pays by card', last: 'succeeded', tag: '@firefox' },
  {
    title: 'a declined buyer sees the reason and pays the same order with another card',
    first: ['declined', /declined/i],
    last: 'succeeded',
  },
  {
    title: "a buyer passes the bank's challenge inside the frame",
    last: 'challenge',
    tag: '@firefox',
  },
  {
    title: 'a bank with a separate page returns the buyer to a paid order',
    last: 'redirect',
    tag: '@firefox',
  },
] as const

for (const { title, last, ...story } of stories) {
  test(title, { tag: 'tag' in story ? story.tag : [] }, async ({ page, stack }) => {
    const { id } = await openCheckout(page)
    if ('first' in story) {
      const [plan, reason] = story.first
      await payWith(page, plan)
      await expect(hostedPage(page).getByRole('alert')).toContainText(reason)
    }
    await payWith(page, last)
    await expectOrder(page, 'paid')
    expect(await (await retrieve(stack, id)).json()).toMatchObject({ id, status: 'succeeded' })
  })
}

test('shop, form, bank, and receipt show the same name and amount, in the shop’s color', {
  tag: '@firefox',
}, async ({ page }) => {
  await addToCart(page)
  await page.goto('/cart')
  await page.getByTestId('place-order').click()
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
  await form.locator('#card-number').fill('4000000000003220')
  await form.locator('#card-expiry').fill('12 / 40')
  await form.locator('#card-cvc').fill('123')
  await form.getByRole('button', { name: amount }).click()
  const bank = challengePage(page)
  await expect(bank.locator('dd').first()).toHaveText('Tsiran')
  await expect(bank.locator('dd').nth(1)).toHaveText(amount)
  await bank.locator('#code').fill('1234')
  await pressToClose(bank.locator('button').first())
  await expectOrder(page, 'paid')
  await expect(page.getByTestId('order-total')).toHaveText(amount)
  await expect(page.getByRole('main')).toContainText('Tsiran')
})
