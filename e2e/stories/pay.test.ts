import { payWith } from '@pi-checkout/element/testing'
import { retrieve } from '../fixtures/api.ts'
import { expectOrder, hostedPage, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

const stories = [
  { title: 'a buyer pays by card', last: 'succeeded' },
  {
    title: 'a declined buyer sees the reason and pays the same order with another card',
    first: ['declined', /declined/i],
    last: 'succeeded',
  },
  { title: "a buyer passes the bank's challenge inside the frame", last: 'challenge' },
  {
    title: 'a buyer pays the same order after a denied challenge',
    first: ['challenge-denied', /did not confirm/i],
    last: 'challenge',
  },
  { title: 'a bank with a separate page returns the buyer to a paid order', last: 'redirect' },
] as const

for (const { title, last, ...story } of stories) {
  test(title, async ({ page, stack }) => {
    const { id } = await openCheckout(page)
    if ('first' in story) {
      const [plan, reason] = story.first
      await payWith(page, plan)
      await expect(hostedPage(page).getByRole('alert')).toContainText(reason)
    }
    await payWith(page, last)
    await expectOrder(page, 'paid')
    expect(await (await retrieve(stack, id)).json()).toMatchObject({ id, status: 'succeeded' })
  })
}
