import { payWith } from '@pi-checkout/element/testing'
import { startExample } from '@pi-checkout/test-support/example'
import type { Page } from '@playwright/test'
import { startShop } from '../fixtures/example-pages.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('the static page takes a payment after a canceled and a declined one, and a reload shows it', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/\/favicon\.ico|status of 409/)
  const { shop, stop } = await startExample(stack.api, 'express.mjs')
  await page.goto(shop)
  await cancelAndTryAgain(page)
  await payWith(page, 'declined')
  await payWith(page, 'succeeded')
  await expect(page.locator('[slot=paid]')).toBeVisible()
  await page.reload()
  await expect(page.locator('[slot=paid]')).toBeVisible()
  await stop()
})

for (const framework of ['react', 'vue', 'svelte'] as const) {
  test(`the guide's component for ${framework} takes a payment after a canceled one`, async ({
    page,
    stack,
  }) => {
    const shop = await startShop(stack.api, framework)
    await page.goto(shop.origin)
    await cancelAndTryAgain(page)
    await payWith(page, 'succeeded')
    await expect(page.getByText('Thank you.')).toBeVisible()
    await expect(page).toHaveTitle('paid')
    await shop.close()
  })
}

/** A canceled intent has failed. The next handoff is that of another intent. */
async function cancelAndTryAgain(page: Page): Promise<void> {
  await payWith(page, 'canceled')
  await expect(page.getByText('You canceled the payment.')).toBeVisible()
  await page.getByRole('button', { name: 'Try again' }).click()
}
