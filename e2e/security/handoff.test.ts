import { payWith } from '@pi-checkout/element/testing'
import type { BrowserContext, Page } from '@playwright/test'
import { expectOrder, hostedPage, openCheckout, orderCart, orderOf } from '../fixtures/buyer.ts'
import { expect, type HostileWorld, test } from '../fixtures/hostile-world.ts'
import { intentsOf, storedIntents } from '../fixtures/sandbox.ts'

test("another shopper's order and an order that never was get the same 404, byte for byte (threat 35)", async ({
  page,
  browser,
  world,
}) => {
  await openCheckout(page)
  const stranger = await shopper(browser.newContext(), world)
  const [foreign, missing] = [
    await handoff(stranger, { orderId: orderOf(page) }),
    await handoff(stranger, { orderId: '0'.repeat(26) }),
  ]
  expect(foreign).toEqual(missing)
  expect(foreign.status).toBe(404)
  await stranger.context().close()
})

test('a form, an image, a no-cors and a cors request of another site get no handoff and make no intent (threat 36)', async ({
  page,
  world,
  noise,
}) => {
  noise.allow(/./)
  await openCheckout(page)
  const order = orderOf(page)
  const before = await intentCount(world)
  world.evil.serve(
    '/',
    `<form method="post" enctype="text/plain" action="${world.shopUrl}/checkout/handoff">
       <input name='{"orderId":"${order}","x":"' value='"}'></form>`,
  )
  const attacker = await page.context().newPage()
  await attacker.goto(world.evil.origin)
  const answers = await attacker.evaluate(
    async ({ url, body }) => {
      const attempts: RequestInit[] = [
        { mode: 'no-cors' },
        { mode: 'no-cors', headers: { 'content-type': 'text/plain' } },
        { mode: 'cors', headers: { 'content-type': 'application/json' } },
        { mode: 'cors', headers: { 'content-type': 'text/plain' } },
      ]
      const seen: string[] = []
      for (const attempt of attempts) {
        const init: RequestInit = { ...attempt, method: 'POST', body, credentials: 'include' }
        seen.push(
          await fetch(url, init).then(
            (answer) => answer.text(),
            () => 'unreadable',
          ),
        )
      }
      const image = new Image()
      image.src = `${url}?${body}`
      await new Promise((resolve) => {
        image.onload = resolve
        image.onerror = resolve
      })
      return seen
    },
    { url: `${world.shopUrl}/checkout/handoff`, body: JSON.stringify({ orderId: order }) },
  )
  // A no-cors answer is opaque: its text is empty.
  expect(answers).toEqual(['', '', 'unreadable', 'unreadable'])
  const posted = attacker.waitForResponse('**/checkout/handoff')
  await attacker.locator('form').evaluate((form) => (form as HTMLFormElement).submit())
  expect((await posted).status()).toBe(403)
  expect(await intentCount(world)).toBe(before)
})

test("a cookie copied into another session gives nothing of the first buyer's (threat 37)", async ({
  page,
  browser,
  world,
  context,
}) => {
  const first = await openCheckout(page)
  const sealed = (await context.cookies()).find(({ name }) => name === 'pi-handoff')
  const thief = await shopper(browser.newContext(), world)
  const mine = await openCheckout(thief)
  if (sealed) await thief.context().addCookies([sealed])
  expect((await handoff(thief, { orderId: orderOf(page) })).status).toBe(404)
  // With the stolen cookie the thief's own order gets its own pair again.
  expect((await handoff(thief, { orderId: orderOf(thief) })).body).toContain(mine.id)
  expect((await handoff(thief, { orderId: orderOf(thief) })).body).not.toContain(first.id)
  await thief.context().close()
})

test('a sealed cookie that was tampered with is ignored and replaced, and the intent stays the same (threat 37)', async ({
  page,
  context,
}) => {
  const first = await openCheckout(page)
  const sealed = async () =>
    (await context.cookies()).find(({ name }) => name === 'pi-handoff')?.value
  const before = await sealed()
  await context.addCookies([
    {
      ...cookieOf(page),
      name: 'pi-handoff',
      value: `${before?.slice(0, -4)}AAAA`,
      httpOnly: true,
      sameSite: 'Strict',
    },
  ])
  const again = await handoff(page, { orderId: orderOf(page) })
  expect(JSON.parse(again.body)).toEqual(first)
  expect(await sealed()).not.toBe(`${before?.slice(0, -4)}AAAA`)
})

test('a link or a form of another site selects no order for the victim, and the hosted page says what is paid (threat 38)', async ({
  page,
  browser,
  world,
  noise,
}) => {
  noise.allow(/status of 40[34]/)
  const attacker = await shopper(browser.newContext(), world)
  await openCheckout(attacker)
  const order = orderOf(attacker)
  world.evil.serve(
    '/',
    `<a href="${world.shopUrl}/pay/${order}">win</a>
     <form method="post" action="${world.shopUrl}/pay/${order}"><button>claim</button></form>`,
  )
  for (const bait of ['a', 'button']) {
    await page.goto(world.evil.origin)
    const answer = page.waitForResponse((response) => response.url().includes('/pay/'))
    await page.locator(bait).click()
    expect([403, 404]).toContain((await answer).status())
  }
  await openCheckout(page)
  await expect(hostedPage(page).getByTestId('order')).toContainText(orderOf(page))
  await expect(hostedPage(page).getByTestId('amount')).toContainText(/\d/)
  await expect(hostedPage(page).locator('.merchant')).toContainText(/\w/)
  await attacker.context().close()
})

test('the handoff reads an order and nothing else: every further field is refused (threat 39)', async ({
  page,
  noise,
}) => {
  noise.allow(/status of 400/)
  await openCheckout(page)
  const orderId = orderOf(page)
  for (const extra of [
    { amount: 1 },
    { currency: 'RUB' },
    { metadata: {} },
    { attempt: 9 },
    { intentId: 'pi_x' },
    { paid: true },
    { customer: null },
  ]) {
    expect((await handoff(page, { orderId, ...extra })).status).toBe(400)
  }
})

test("another order's paid intent in the address, and forged events, pay for nothing (threat 43)", async ({
  page,
}) => {
  const { id } = await openCheckout(page)
  await payWith(page, 'success')
  await expectOrder(page, 'paid')
  await page.goto('/')
  await page.getByTestId('add-to-cart').nth(2).click()
  await expect(page.getByTestId('cart-count')).toHaveText('1')
  await orderCart(page)
  const order = orderOf(page)
  await page.goto(`/confirming/${order}?payment_intent=${id}&status=succeeded`)
  await expectOrder(page, 'open')
  await page.goto(`/orders/${order}?payment_intent=${id}`)
  await expectOrder(page, 'open')
})

test('the handoff is no tap: the eleventh of a session is refused, and no session or cart gets none (threat 44)', async ({
  page,
  browser,
  world,
  noise,
}) => {
  noise.allow(/status of (?:403|404|429)/)
  const { id } = await openCheckout(page)
  const orderId = orderOf(page)
  const statuses: number[] = []
  for (let i = 0; i < 10; i++) statuses.push((await handoff(page, { orderId })).status)
  expect(statuses).toEqual([...Array(9).fill(200), 429])
  expect(await intentsOf(world, id)).toHaveLength(1)

  const before = await intentCount(world)
  const empty = await shopper(browser.newContext(), world)
  expect((await handoff(empty, {})).status).toBe(404)
  await empty.context().clearCookies()
  expect((await handoff(empty, {})).status).toBe(404)
  expect(await intentCount(world)).toBe(before)
  await empty.context().close()
})

async function shopper(made: Promise<BrowserContext>, world: HostileWorld): Promise<Page> {
  const context = await made
  const page = await context.newPage()
  await page.goto(world.shopUrl)
  // Relative addresses of the buyer's steps are the shop's.
  const goto = page.goto.bind(page)
  page.goto = (url, options) => goto(new URL(url, world.shopUrl).href, options)
  return page
}

async function handoff(
  page: Page,
  body: object,
): Promise<{ readonly status: number; readonly body: string }> {
  return page.evaluate(async (sent) => {
    const answer = await fetch('/checkout/handoff', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    })
    return { status: answer.status, body: await answer.text() }
  }, body)
}

function cookieOf(page: Page): { readonly domain: string; readonly path: string } {
  return { domain: new URL(page.url()).hostname, path: '/' }
}

async function intentCount(world: HostileWorld): Promise<number> {
  return (await storedIntents(world)).length
}
