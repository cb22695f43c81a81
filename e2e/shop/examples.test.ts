import { payWith } from '@pi-checkout/element/testing'
import { startExample } from '@pi-checkout/test-support/example'
import { expect, test } from '../fixtures/test-stack.ts'

test('the static page takes a payment after a canceled and a declined one, and a reload shows it', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/\/favicon\.ico|status of 409/)
  const { shop, stop } = await startExample(stack.api, 'express.mjs')
  await page.goto(shop)
  await payWith(page, 'canceled')
  await expect(page.getByText('Payment canceled')).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
  await payWith(page, 'declined')
  await payWith(page, 'succeeded')
  await expect(page.locator('[slot=paid]')).toBeVisible()
  await page.reload()
  await expect(page.locator('[slot=paid]')).toBeVisible()
  await stop()
})
