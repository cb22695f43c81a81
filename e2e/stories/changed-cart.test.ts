import { payWith } from '@pi-checkout/element/testing'
import { officeOrder, reconcile } from '../fixtures/back-office.ts'
import { expectOrder, nextHandoff, openCheckout, orderCart, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test('a buyer who comes back to a checkout whose cart has changed pays for the cart as it is now', async ({
  page,
  context,
}) => {
  const old = await openCheckout(page)
  const elsewhere = await context.newPage()
  await elsewhere.goto('/')
  await elsewhere.getByTestId('add-to-cart').nth(1).click()
  await expect(elsewhere.getByTestId('cart-count')).toHaveText('2')
  const now = await orderCart(elsewhere)
  expect(now.id).not.toBe(old.id)
  const total = await elsewhere.getByTestId('order-total').textContent()
  await elsewhere.close()

  const handoff = nextHandoff(page)
  // What a browser dispatches to a tab that is looked at again.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  expect(await handoff).toEqual(now)
  await expect(page.getByText('The order was changed in another tab.')).toBeVisible()
  await expect(page.getByTestId('order-total')).toHaveText(total ?? '')
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
})

test('money for the cart as it was before never pays for the changed one: the buyer and the shop are told (threat 42)', async ({
  page,
  context,
  world,
}) => {
  const old = await openCheckout(page)
  const order = orderOf(page)
  const elsewhere = await context.newPage()
  await elsewhere.goto('/')
  await elsewhere.getByTestId('add-to-cart').nth(1).click()
  await expect(elsewhere.getByTestId('cart-count')).toHaveText('2')
  await orderCart(elsewhere)

  await payWith(page, 'success')
  await page.waitForURL(`**/confirming/${order}`)
  await expectOrder(page, 'open')
  await reconcile(world)
  const { state, intents } = await officeOrder(world, order)
  expect(state).toBe('open')
  expect(intents.find(({ id }) => id === old.id)).toMatchObject({
    verdict: 'paid',
    current: false,
    alert: expect.stringContaining('return the money'),
  })
  await page.goto(`/orders/${order}`)
  await expect(page.getByTestId('stray-payment')).toBeVisible()
  await expectOrder(page, 'open')
})
