import { payWith } from '@pi-checkout/element/testing'
import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'
import { toNode } from '@pi-checkout/server/node'
import { register } from '@pi-checkout/test-support/example'
import { startSite } from '@pi-checkout/test-support/sites'
import type { Page } from '@playwright/test'
import {
  addToCart,
  expectOrder,
  expectPaid,
  goToFullPage,
  hostedPage,
  orderOf,
} from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

/** Blocks the scripts of the shop's pages, and goes to the full page as their form does. */
async function openFullPage(page: Page): Promise<string> {
  await page.route(/\/(?:shop|v1\/pi-checkout)\.js$/, (route) => route.abort())
  await addToCart(page)
  await page.goto('/cart')
  await page.getByTestId('place-order').click()
  await page.waitForURL('**/pay/*')
  const orderId = orderOf(page)
  await goToFullPage(page)
  return orderId
}

test.beforeEach(({ pageErrors }) =>
  pageErrors.allow(/Failed to load resource|ERR_FAILED|pi-checkout: unreachable|sandbox attribute/),
)

for (const [outcome, state] of [
  ['challenge', 'paid'],
  ['stolen', 'failed'],
  ['pending', 'processing'],
] as const) {
  test(`a buyer of a shop without scripts pays on the full page: ${outcome}`, async ({
    page,
    stack,
  }) => {
    await page.clock.install()
    const orderId = await openFullPage(page)
    await payWith(page, outcome)
    if (state === 'processing') {
      await expect(page.getByText('Processing your payment')).toBeVisible()
      await page.clock.runFor(12_000)
    }
    await page.waitForURL(`${stack.shopUrl}/{orders,pay}/${orderId}`)
    if (state !== 'failed') await expectOrder(page, state)
    await page.goto(`/orders/${orderId}`)
    await expectOrder(page, state)
  })
}

test('a buyer whose full page has ended goes back to a shop that has not answered', async ({
  page,
  stack,
}) => {
  const orderId = await openFullPage(page)
  await page.route(`${stack.shopUrl}/**`, (route) => route.abort('aborted'))
  await payWith(page, 'stolen')
  await expect(page.getByTestId('result')).toHaveText('Payment failed')
  const back = page.getByRole('link', { name: 'Back to the shop' })
  await expect(back).toHaveCount(1)
  await expect(back).toHaveClass(/primary/)
  await page.unroute(`${stack.shopUrl}/**`)
  await back.click()
  await page.waitForURL(`${stack.shopUrl}/{orders,pay}/${orderId}`)
})

test('a buyer pays with another card and bank after a denied cookie, a decline, a reload, Back, and a denial by the bank', {
  tag: '@firefox',
}, async ({ page, stack }) => {
  const orderId = await openFullPage(page)
  const cookies = await page.context().cookies(page.url())
  expect(cookies.filter(({ name }) => name === 'pi-checkout')).toMatchObject([
    { httpOnly: true, sameSite: 'Lax', path: new URL(page.url()).pathname.replace('/page', '') },
  ])
  await page.context().clearCookies({ name: 'pi-checkout' })
  await page.reload()
  await page.waitForURL(`${stack.shopUrl}/pay/${orderId}`)
  await goToFullPage(page)

  // As in the frame, it has the shop's color.
  const pay = page.getByRole('button', { name: /^Pay / })
  await expect(pay).toHaveCSS('background-color', 'rgb(173, 67, 24)')
  const address = page.url()
  await payWith(page, 'declined')
  await page.reload()
  await expect(pay).toBeEnabled()
  await page.getByRole('link', { name: 'Back to the shop' }).click()
  await page.waitForURL(`${stack.shopUrl}/pay/${orderId}`)
  await page.goBack()
  expect(page.url()).toBe(address)

  await page.getByLabel('Card number').fill('4000 0027 6000 3184')
  await page.getByLabel('Expiry date').fill('12/34')
  await page.getByLabel('Security code').fill('123')
  await pay.click()
  await page.getByLabel('Code from your bank').fill('0000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.waitForURL(address)
  await expect(page.getByRole('alert')).toContainText('Your bank did not confirm the payment.')
  await payWith(page, 'redirect')
  await expectPaid(page, stack, new URL(address).pathname.split('/')[2] ?? '')
  // The shop knows the result, and the full page has nothing left to do.
  await page.goto(address)
  await expectOrder(page, 'paid')
})

test('the frame is blocked: its error view leads to the full page', { tag: '@firefox' }, async ({
  page,
  stack,
}) => {
  await page.route(`${stack.api.checkoutOrigin}/checkout/*`, (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  )
  await page.clock.install()
  await addToCart(page)
  await page.goto('/cart')
  await page.getByTestId('place-order').click()
  await page.waitForURL('**/pay/*')
  await page.evaluate("addEventListener('pi-leave', () => sessionStorage.setItem('left', 'yes'))")
  const go = page.locator('pi-checkout form button')
  // Firefox does not say that it blocks a frame: the element waits for a message, and tries again.
  // In short steps: after the error, the shop has two seconds to say that the service responds.
  await expect(async () => {
    await page.clock.runFor(1000)
    await expect(page.locator('pi-checkout:state(error)')).toHaveCount(1, { timeout: 100 })
  }).toPass({ intervals: [50] })
  await go.click()
  await page.waitForURL('**/checkout/*/page?*')
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
  expect(await page.evaluate("sessionStorage.getItem('left')")).toBe('yes')
  await expect(hostedPage(page).locator('html')).toHaveCount(0)
})

test('the buyers of a shop that sends no referrer, as with helmet, pay on the full page', {
  tag: '@firefox',
}, async ({ page, stack }) => {
  const { origin, serve, close } = await startSite(undefined, { name: 'localhost' })
  await register(stack.api, origin)
  const orderId = crypto.randomUUID().replaceAll('-', '')
  const checkout = createCheckout({
    intents: new PaymentIntents({ apiKey: stack.api.apiKey, baseUrl: stack.api.baseUrl }),
    shopOrigin: origin,
    authorize: () => orderId,
    order: () => ({ orderId, amount: 150000, currency: 'AMD' }),
    payments: memoryPayments(),
    onPaid: () => true,
    fullPage: { checkoutOrigin: stack.api.checkoutOrigin, returnUrl: () => `${origin}/order` },
  })
  const handle = toNode(checkout)
  serve((request, response) => {
    // Of the checkout's own pages too, as by a proxy.
    const end = response.end.bind(response)
    response.end = (...given: unknown[]) =>
      Reflect.apply(end, response.appendHeader('referrer-policy', 'no-referrer'), given)
    void handle(request, response, () => {
      response.setHeader('content-type', 'text/html')
      response.end('<form method="post" action="/checkout/start"><button>Pay</button></form>')
    })
  })
  await page.goto(origin)
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.waitForURL('**/checkout/*/page?*')
  await payWith(page, 'succeeded')
  await page.waitForURL(`${origin}/order`)
  const status = await page.request.get(`${origin}/checkout/status`)
  expect(await status.json()).toMatchObject({ phase: 'paid' })
  await close()
})
