import { payWith } from '@pi-checkout/element/testing'
import { expectOrder, fillCard, nextHandoff, openCheckout, payButton } from '../fixtures/buyer.ts'
import { faultNext, intentsOf } from '../fixtures/sandbox.ts'
import { expect, test } from '../fixtures/world.ts'

test('a double click on Pay makes one payment of one intent', async ({ page, world }) => {
  const { id } = await openCheckout(page)
  await fillCard(page, '4242 4242 4242 4242')
  await payButton(page).dblclick()
  await expectOrder(page, 'paid')
  const intents = await intentsOf(world, id)
  expect(intents.map(({ status }) => status)).toEqual(['succeeded'])
})

test('two tabs that open one order at once are handed one intent (threat 41)', async ({
  page,
  context,
  world,
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
  expect(await intentsOf(world, id)).toHaveLength(1)
})

test('an answer that is lost after the commit still makes one intent', async ({ page, world }) => {
  await faultNext(world, { on: 'create', do: 'drop-after-commit', times: 1 })
  const { id } = await openCheckout(page)
  expect(await intentsOf(world, id)).toHaveLength(1)
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
})
