import { startExample } from '@pi-checkout/test-support/example'
import { payAfterFailures } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('the static page takes a payment after a canceled and a declined one, and a reload shows it', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/\/favicon\.ico|status of 409/)
  const { shop, stop } = await startExample(stack.api, 'express.mjs')
  await payAfterFailures(page, shop)
  await expect(page.locator('[slot=paid]')).toBeVisible()
  await stop()
})
