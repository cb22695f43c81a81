import { payWith } from '@pi-checkout/element/testing'
import { addFault, intentsOf } from '@pi-checkout/test-support/sandbox'
import { expectOrder, fillCard, openCheckout, payButton } from '../fixtures/buyer.ts'
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
