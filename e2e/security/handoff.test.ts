import { storedIntents } from '@pi-checkout/test-support/sandbox'
import type { Browser, Page } from '@playwright/test'
import { readFrom } from '../fixtures/attacker-site.ts'
import { hostedPage, openCheckout, orderOf } from '../fixtures/buyer.ts'
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

async function newBuyer(browser: Browser, stack: CrossSiteStack): Promise<Page> {
  const context = await browser.newContext({ baseURL: stack.shopUrl })
  const page = await context.newPage()
  await page.goto('/')
  return page
}

async function intentCount(stack: CrossSiteStack): Promise<number> {
  return (await storedIntents(stack)).length
}
