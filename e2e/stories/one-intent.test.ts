import type { Page } from '@playwright/test'
import {
  challengePage,
  expectPaid,
  fillCard,
  hostedPage,
  nextHandoff,
  openCheckout,
  passChallenge,
  payButton,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

test('a double click on Pay makes one payment of one intent', async ({ page, stack }) => {
  const { id } = await openCheckout(page)
  await fillCard(page, '4242 4242 4242 4242')
  await payButton(page).dblclick()
  await expectPaid(page, stack, id)
})

test('two tabs of an order share an intent, which is charged once if both pay at the same time', async ({
  page,
  context,
  stack,
  pageErrors,
}) => {
  // One tab receives a 409, which browsers print.
  pageErrors.allow(/status of 409|pi-checkout: /)
  const first = await openCheckout(page)
  const second = await context.newPage()
  const handoff = nextHandoff(second)
  await second.goto(page.url())
  expect(await handoff).toEqual(first)
  await expect(payButton(second)).toBeEnabled()
  for (const tab of [page, second]) await fillCard(tab, '4000 0000 0000 3220')
  const click = (tab: Page) =>
    payButton(tab).evaluate((button) => (button as HTMLButtonElement).click())
  await Promise.all([click(page), click(second)])
  const resume = (tab: Page) => hostedPage(tab).getByRole('button', { name: 'Continue' })
  // The other tab offers to take the challenge over. The buyer does so, and back.
  await expect
    .poll(async () => (await resume(page).count()) + (await resume(second).count()))
    .toBe(1)
  const [winner, loser] = (await resume(page).isVisible()) ? [second, page] : [page, second]
  for (const tab of [loser, winner]) {
    // A hidden tab may not know where its frames are: no buyer presses there.
    await tab.bringToFront()
    // The page of a challenge that was taken over accepts no code.
    if (tab === winner) await passChallenge(winner)
    await resume(tab).click()
    await expect(challengePage(tab).getByLabel('Code')).toBeVisible()
  }
  await passChallenge(winner)
  for (const tab of [page, second]) await expectPaid(tab, stack, first.id)
})
