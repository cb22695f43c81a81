import { payWith } from '@pi-checkout/element/testing'
import { intentsOf } from '@pi-checkout/test-support/sandbox'
import type { Locator } from '@playwright/test'
import { createIntent } from '../fixtures/api.ts'
import { enterCode } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('two checkouts on one page complete separate challenges and payments', async ({
  page,
  stack,
  decorated,
}) => {
  const one = await createIntent(stack, { orderId: 'TWO-1', amount: 100_000 })
  const two = await createIntent(stack, { orderId: 'TWO-2', amount: 200_000 })
  await page.goto(decorated.publish([one, two]))
  const checkouts = [page.locator('#pay-0'), page.locator('#pay-1')] as const
  const formOf = (checkout: Locator) => checkout.locator('iframe').contentFrame()
  const forms = [formOf(checkouts[0]), formOf(checkouts[1])] as const

  for (const at of [0, 1] as const) {
    const form = forms[at]
    await form.getByLabel('Card number').fill('4000 0000 0000 3220')
    await form.getByLabel('Expiry date').fill('12/34')
    await form.getByLabel('Security code').fill('123')
    await form.getByRole('button', { name: /^Pay / }).press('Enter')
  }
  const [firstBank, secondBank] = [forms[0].frameLocator('iframe'), forms[1].frameLocator('iframe')]
  await expect(firstBank.getByText('1,000')).toBeVisible()
  await expect(secondBank.getByText('2,000')).toBeVisible()
  await enterCode(secondBank, '1234')
  await expect(forms[1].getByTestId('result')).toHaveAttribute('data-state', 'paid')
  await enterCode(firstBank, '0000')
  await expect(page.locator('#pay-0:state(ready)')).toHaveCount(1)
  const [first] = await intentsOf(stack, one.id)
  expect(first?.status).toBe('requires_payment_method')
  await payWith(checkouts[0], 'succeeded')
  await expect(forms[0].getByTestId('result')).toHaveAttribute('data-state', 'paid')
})
