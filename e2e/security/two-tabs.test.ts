import type { Page } from '@playwright/test'
import {
  challengePage,
  expectOrder,
  fillCard,
  hostedPage,
  openCheckout,
  payButton,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/hostile-world.ts'
import { intentsOf } from '../fixtures/sandbox.ts'

test('two tabs that pay at once, with a challenge each, make one intent and one charge (threats 41, 63)', async ({
  page,
  context,
  world,
  noise,
}) => {
  // The tab that loses is told so by a 409, which browsers print.
  noise.allow(/status of 409/)
  const { id } = await openCheckout(page)
  const second = await context.newPage()
  await second.goto(page.url())
  await expect(payButton(second)).toBeEnabled()
  for (const tab of [page, second]) await fillCard(tab, '4000 0000 0000 3220')
  const click = (tab: Page) =>
    payButton(tab).evaluate((button) => (button as HTMLButtonElement).click())
  await Promise.all([click(page), click(second)])
  const here = (tab: Page) => hostedPage(tab).getByRole('button', { name: 'Confirm here' })
  // The tab that lost offers to take the challenge over; the buyer does so, and back.
  await expect.poll(async () => (await here(page).count()) + (await here(second).count())).toBe(1)
  const [winner, loser] = (await here(page).isVisible()) ? [second, page] : [page, second]
  for (const tab of [loser, winner]) {
    if (tab === winner) await expect(here(winner)).toBeVisible()
    // A hidden tab may not notice where its frames are, and lose the press: nobody presses there.
    await tab.bringToFront()
    await here(tab).click()
    await expect(challengePage(tab).getByLabel('Code')).toBeVisible()
  }
  await challengePage(winner).getByLabel('Code').fill('1234')
  await challengePage(winner).getByRole('button', { name: 'Confirm' }).click()
  for (const tab of [page, second]) await expectOrder(tab, 'paid')
  expect((await intentsOf(world, id)).map(({ status }) => status)).toEqual(['succeeded'])
})
