import { payWith } from '@pi-checkout/element/testing'
import { expectOrder, fillCard, nextHandoff, openCheckout, payButton } from '../fixtures/buyer.ts'
import { addFault, intentsOf } from '../fixtures/sandbox.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a double click on Pay makes one payment of one intent', async ({ page, stack }) => {
  const { id } = await openCheckout(page)
  await fillCard(page, '4242 4242 4242 4242')
  await payButton(page).dblclick()
  await expectOrder(page, 'paid')
  const intents = await intentsOf(stack, id)
  expect(intents.map(({ status }) => status)).toEqual(['succeeded'])
})

test('two tabs that open an order at the same time get one intent (threat 41)', async ({
  page,
  context,
  stack,
}) => {
  const { id } = await openCheckout(page)
  await context.clearCookies({ name: 'pi-handoff' })
  const tabs = [await context.newPage(), await context.newPage()]
  const handoffs = await Promise.all(
    tabs.map(async (tab) => {
      const handoff = nextHandoff(tab)
      await tab.goto(page.url())
      return handoff
    }),
  )
  expect(handoffs.map((handoff) => handoff.id)).toEqual([id, id])
  expect(await intentsOf(stack, id)).toHaveLength(1)
})

test('a response that is lost after the commit leaves one intent', async ({ page, stack }) => {
  await addFault(stack, { on: 'create', do: 'drop-after-commit', times: 1 })
  const { id } = await openCheckout(page)
  expect(await intentsOf(stack, id)).toHaveLength(1)
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
})
