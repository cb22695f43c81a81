import { addToCart, payButton } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a silent service leaves the cart complete, and the form says that it takes long', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource|pi-checkout: /)
  const { child } = stack.service
  await page.clock.install()
  await addToCart(page)
  // Before the cart, which loads the element's file for the next page.
  child.kill('SIGSTOP')
  try {
    await page.goto('/cart')
    await page.getByTestId('place-order').click()
    await expect(page.getByTestId('order-total')).toBeVisible()
    await page.clock.fastForward(8000)
    await expect(page.getByText('This is taking longer than usual')).toBeVisible({
      timeout: 10_000,
    })
  } finally {
    child.kill('SIGCONT')
  }
  await expect(payButton(page)).toBeEnabled()
})
