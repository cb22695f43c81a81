import { payWith } from '@pi-checkout/element/testing'
import { addFault, intentsOf } from '@pi-checkout/test-support/sandbox'
import { expectOrder, fillCard, nextHandoff, openCheckout, payButton } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a double click on Pay makes one payment of one intent', async ({ page, stack }) => {
  const { id } = await openCheckout(page)
  await fillCard(page, '4242 4242 4242 4242')
  await payButton(page).dblclick()
  await expectOrder(page, 'paid')
  const intents = await intentsOf(stack, id)
  expect(intents.map(({ status }) => status)).toEqual(['succeeded'])
})

test('a response that is lost after the commit leaves one intent', async ({ page, stack }) => {
  await addFault(stack, { on: 'create', do: 'drop-after-commit', times: 1 })
  const { id } = await openCheckout(page)
  expect(await intentsOf(stack, id)).toHaveLength(1)
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
})

test('two tabs of an order share an intent, and one payment completes both', async ({
  page,
  context,
}) => {
  const first = await openCheckout(page)
  const second = await context.newPage()
  const handoff = nextHandoff(second)
  await second.goto(page.url())
  expect(await handoff).toEqual(first)
  await expect(payButton(second)).toBeEnabled()
  await page.bringToFront()
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
  await expectOrder(second, 'paid')
})
