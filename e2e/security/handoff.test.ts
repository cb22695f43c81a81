import { expectOrder, hostedPage, openCheckout, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'

test('links and forms of another site select no order, and a forged event pays none', async ({
  page,
  browser,
  stack,
  attacker,
  pageErrors,
}) => {
  pageErrors.allow(/status of 40[34]/)
  const other = await browser.newPage({ baseURL: stack.shopUrl })
  await openCheckout(other)
  const order = orderOf(other)
  attacker.respond = () =>
    `<a href="${stack.shopUrl}/pay/${order}">win</a>
     <form method="post" action="${stack.shopUrl}/pay/${order}"><button>claim</button></form>`
  for (const bait of ['a', 'button']) {
    await page.goto(attacker.origin)
    const response = page.waitForResponse((candidate) => candidate.url().includes('/pay/'))
    await page.locator(bait).click()
    expect([403, 404]).toContain((await response).status())
  }
  await openCheckout(page)
  await expect(hostedPage(page).getByTestId('order')).toContainText(orderOf(page))
  await expect(hostedPage(page).getByTestId('amount')).toContainText(/\d/)
  await expect(hostedPage(page).getByRole('heading', { level: 1 })).toContainText(/\w/)
  await other.close()
  await page.evaluate(
    (forged) => {
      const event = Object.assign(new Event('pi-phase', { bubbles: true }), forged)
      document.querySelector('pi-checkout')?.dispatchEvent(event)
    },
    { phase: 'paid', orderId: orderOf(page) },
  )
  await expectOrder(page, 'open')
})
