import { challengePage, expectOrder, fillCard, openCheckout, payButton } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/hostile-world.ts'
import { intentsOf } from '../fixtures/sandbox.ts'

test('rows 41 and 63: two tabs that pay at once, with a challenge each, make one intent and one charge', async ({
  page,
  context,
  world,
  noise,
}) => {
  // The tab that loses is told so by a 409, which browsers print.
  noise.allow(/status of 409/)
  // Its challenge is over before it is shown, and a page without a payment knows no shop that may frame it.
  noise.allow(/frame-ancestors/)
  const { id } = await openCheckout(page)
  const second = await context.newPage()
  await second.goto(page.url())
  await expect(payButton(second)).toBeEnabled()
  for (const tab of [page, second]) await fillCard(tab, '4000 0000 0000 3220')
  const click = (tab: typeof page) =>
    payButton(tab).evaluate((button) => (button as HTMLButtonElement).click())
  await Promise.all([click(page), click(second)])
  const codes = [challengePage(page).getByLabel('Code'), challengePage(second).getByLabel('Code')]
  await expect
    .poll(async () => (await Promise.all(codes.map((code) => code.count()))).some(Boolean))
    .toBe(true)
  for (const tab of [page, second]) {
    // A hidden tab may not notice where its frames are, and lose the press: nobody presses there.
    await tab.bringToFront()
    const code = challengePage(tab).getByLabel('Code')
    if (!(await code.isVisible())) continue
    await code.fill('1234', { timeout: 5000 }).catch(() => {})
    await challengePage(tab)
      .getByRole('button', { name: 'Confirm' })
      .click({ timeout: 5000 })
      .catch(() => {})
  }
  for (const tab of [page, second]) await expectOrder(tab, 'paid')
  expect((await intentsOf(world, id)).map(({ status }) => status)).toEqual(['succeeded'])
})
