import { payWith } from '@pi-checkout/element/testing'
import { intentsOf, storedIntents } from '@pi-checkout/test-support/sandbox'
import type { Browser, Page } from '@playwright/test'
import { readFrom } from '../fixtures/attacker-site.ts'
import {
  addToCart,
  expectOrder,
  hostedPage,
  openCheckout,
  orderCart,
  orderOf,
} from '../fixtures/buyer.ts'
import { type CrossSiteStack, expect, test } from '../fixtures/cross-site-stack.ts'

test('gives no handoff to forms, images, and fetches of another site (threat 36)', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/./)
  await openCheckout(page)
  const order = orderOf(page)
  const before = await intentCount(stack)
  stack.attacker.serve(
    '/',
    `<form method="post" enctype="text/plain" action="${stack.shopUrl}/checkout/handoff">
       <input name='{"orderId":"${order}","x":"' value='"}'></form>`,
  )
  const attacker = await page.context().newPage()
  await attacker.goto(stack.attacker.origin)
  const url = `${stack.shopUrl}/checkout/handoff`
  const body = JSON.stringify({ orderId: order })
  const attempts: RequestInit[] = [
    { mode: 'no-cors' },
    { mode: 'no-cors', headers: { 'content-type': 'text/plain' } },
    { mode: 'cors', headers: { 'content-type': 'application/json' } },
    { mode: 'cors', headers: { 'content-type': 'text/plain' } },
  ]
  const sent = { method: 'POST', body, credentials: 'include' } as const
  const texts = await readFrom(
    attacker,
    attempts.map((attempt) => [url, { ...attempt, ...sent }]),
  )
  await attacker.evaluate(
    (src) =>
      new Promise((resolve) =>
        Object.assign(new Image(), { src, onload: resolve, onerror: resolve }),
      ),
    `${url}?${body}`,
  )
  // A no-cors response is opaque: its text is empty.
  expect(texts).toEqual(['', '', 'unreadable', 'unreadable'])
  const posted = attacker.waitForResponse('**/checkout/handoff')
  await attacker.locator('form').evaluate((form) => (form as HTMLFormElement).submit())
  expect((await posted).status()).toBe(403)
  expect(await intentCount(stack)).toBe(before)
})

test('selects no order by links or forms of another site (threat 38)', async ({
  page,
  browser,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/status of 40[34]/)
  const attacker = await newBuyer(browser, stack)
  await openCheckout(attacker)
  const order = orderOf(attacker)
  stack.attacker.serve(
    '/',
    `<a href="${stack.shopUrl}/pay/${order}">win</a>
     <form method="post" action="${stack.shopUrl}/pay/${order}"><button>claim</button></form>`,
  )
  for (const bait of ['a', 'button']) {
    await page.goto(stack.attacker.origin)
    const response = page.waitForResponse((candidate) => candidate.url().includes('/pay/'))
    await page.locator(bait).click()
    expect([403, 404]).toContain((await response).status())
  }
  await openCheckout(page)
  await expect(hostedPage(page).getByTestId('order')).toContainText(orderOf(page))
  await expect(hostedPage(page).getByTestId('amount')).toContainText(/\d/)
  await expect(hostedPage(page).locator('h1.merchant')).toContainText(/\w/)
  await attacker.context().close()
})

test("does not pay an order with another order's paid intent in the address (threat 43)", async ({
  page,
}) => {
  const { id } = await openCheckout(page)
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
  await addToCart(page, 2)
  await orderCart(page)
  const order = orderOf(page)
  await page.goto(`/confirming/${order}?payment_intent=${id}&status=succeeded`)
  await expectOrder(page, 'open')
  await page.goto(`/orders/${order}?payment_intent=${id}`)
  await expectOrder(page, 'open')
})

test('rejects the eleventh handoff of a session, and any without a session or cart (threat 44)', async ({
  page,
  browser,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/status of (?:403|404|429)/)
  const { id } = await openCheckout(page)
  const orderId = orderOf(page)
  const statuses: number[] = []
  for (let i = 0; i < 10; i++) statuses.push((await handoff(page, { orderId })).status)
  expect(statuses).toEqual([...Array(9).fill(200), 429])
  expect(await intentsOf(stack, id)).toHaveLength(1)

  const before = await intentCount(stack)
  const empty = await newBuyer(browser, stack)
  expect((await handoff(empty, {})).status).toBe(404)
  await empty.context().clearCookies()
  expect((await handoff(empty, {})).status).toBe(404)
  expect(await intentCount(stack)).toBe(before)
  await empty.context().close()
})

async function newBuyer(browser: Browser, stack: CrossSiteStack): Promise<Page> {
  const context = await browser.newContext({ baseURL: stack.shopUrl })
  const page = await context.newPage()
  await page.goto('/')
  return page
}

async function handoff(
  page: Page,
  body: object,
): Promise<{ readonly status: number; readonly body: string }> {
  return page.evaluate(async (sent) => {
    const response = await fetch('/checkout/handoff', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    })
    return { status: response.status, body: await response.text() }
  }, body)
}

async function intentCount(stack: CrossSiteStack): Promise<number> {
  return (await storedIntents(stack)).length
}
