import { payWith } from '@pi-checkout/element/testing'
import { createCheckout, memoryPayments, PaymentIntents } from '@pi-checkout/server'
import { toNode } from '@pi-checkout/server/node'
import { register } from '@pi-checkout/test-support/example'
import { intentsOf } from '@pi-checkout/test-support/sandbox'
import { startSite } from '@pi-checkout/test-support/sites'
import type { ServiceReady } from '@pi-checkout/test-support/stack'
import type { Page } from '@playwright/test'
import { addToCart, expectOrder, hostedPage, orderOf } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/test-stack.ts'

/** Blocks the scripts of the shop's pages, and goes to the full page as their form does. */
async function openFullPage(page: Page, button = '.other-way button'): Promise<string> {
  await page.route(/\/(?:shop|v1\/pi-checkout)\.js$/, (route) => route.abort())
  await addToCart(page)
  await page.goto('/cart')
  await page.getByTestId('place-order').click()
  await page.waitForURL('**/pay/*')
  const orderId = orderOf(page)
  await page.locator(button).click()
  await page.waitForURL('**/checkout/*/page?*')
  return orderId
}

test.beforeEach(({ pageErrors }) =>
  pageErrors.allow(/Failed to load resource|ERR_FAILED|pi-checkout: unreachable|sandbox attribute/),
)

for (const [outcome, state, tag = []] of [
  ['succeeded', 'paid'],
  ['challenge', 'paid'],
  ['redirect', 'paid', '@firefox'],
  ['stolen', 'failed'],
  ['pending', 'processing'],
] as const) {
  test(`a buyer of a shop without scripts pays on the full page: ${outcome}`, { tag }, async ({
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

test('a declined buyer pays with another card, after a reload and Back', {
  tag: '@firefox',
}, async ({ page, stack }) => {
  const orderId = await openFullPage(page)
  // As in the frame, it has the shop's color.
  const pay = page.getByRole('button', { name: /^Pay / })
  await expect(pay).toHaveCSS('background-color', 'rgb(173, 67, 24)')
  const address = page.url()
  await payWith(page, 'declined')
  await page.reload()
  await expect(page.getByRole('button', { name: /^Pay / })).toBeEnabled()
  await page.getByRole('link', { name: 'Back to the shop' }).click()
  await page.waitForURL(`${stack.shopUrl}/pay/${orderId}`)
  await page.goBack()
  expect(page.url()).toBe(address)
  await payWith(page, 'succeeded')
  await expectOrder(page, 'paid')
  const intents = await intentsOf(stack, new URL(address).pathname.split('/')[2] ?? '')
  expect(intents.map(({ status }) => status)).toEqual(['succeeded'])
  // The shop knows the result, and the full page has nothing left to do.
  await page.goto(address)
  await expectOrder(page, 'paid')
})

test('a buyer whom the bank denies on its page is back on the full page, and pays there', async ({
  page,
  stack,
}) => {
  await openFullPage(page)
  const address = page.url()
  await page.getByLabel('Card number').fill('4000 0027 6000 3184')
  await page.getByLabel('Expiry date').fill('12/34')
  await page.getByLabel('Security code').fill('123')
  await page.getByRole('button', { name: /^Pay / }).click()
  await page.getByLabel('Code from your bank').fill('0000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.waitForURL(address)
  await expect(page.getByRole('alert')).toContainText('Your bank did not confirm the payment.')
  await expect(page.locator('.skeleton')).toBeHidden()
  await payWith(page, 'redirect')
  await expectOrder(page, 'paid')
  const intents = await intentsOf(stack, new URL(address).pathname.split('/')[2] ?? '')
  expect(intents.map(({ status }) => status)).toEqual(['succeeded'])
})

test('a buyer who cancels is back at the shop', async ({ page, stack }) => {
  // The page offers it in the place of the form after five seconds.
  const orderId = await openFullPage(page, 'pi-checkout form button')
  await payWith(page, 'canceled')
  await page.waitForURL(`${stack.shopUrl}/pay/${orderId}`)
})

test('a browser that denies the cookie is back at the shop after a reload', {
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

/** Starts a shop that is only a form. Like a proxy, it adds a header to every response. */
async function startPlainShop(api: ServiceReady, added: readonly [string, string], head = '') {
  const site = await startSite()
  const orderId = crypto.randomUUID().replaceAll('-', '')
  const errors: unknown[] = []
  const checkout = createCheckout({
    intents: new PaymentIntents({ apiKey: api.apiKey, baseUrl: api.baseUrl }),
    shopOrigin: site.origin,
    authorize: () => orderId,
    order: () => ({ orderId, amount: 150000, currency: 'AMD' }),
    payments: memoryPayments(),
    onPaid: () => true,
    onError: ({ error }) => errors.push(error),
    fullPage: { checkoutOrigin: api.checkoutOrigin, returnUrl: () => `${site.origin}/order` },
  })
  const handle = toNode(checkout)
  site.serve((request, response) => {
    const send = response.end.bind(response)
    response.end = (...body: unknown[]) =>
      Reflect.apply(send, response.appendHeader(...added), body)
    void handle(request, response, async () => {
      response.setHeader('content-type', 'text/html')
      const { phase } = request.url === '/order' ? await checkout.status(orderId) : { phase: '' }
      const form = `<form method="post" action="/checkout/start"><button>Pay</button></form>`
      response.end(`<!doctype html>${head}<title>Shop</title><output>${phase}</output>${form}`)
    })
  })
  await register(api, site.origin)
  return { ...site, errors }
}

for (const [where, added, head] of [
  ['header', ['referrer-policy', 'no-referrer'], ''],
  ['<meta>', ['x-shop', 'plain'], '<meta name="referrer" content="no-referrer">'],
] as const) {
  test(`a shop hides its origin by a ${where}, as helmet does: its buyers pay on the full page`, {
    tag: '@firefox',
  }, async ({ page, stack }) => {
    const shop = await startPlainShop(stack.api, added, head)
    await page.goto(shop.origin)
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.waitForURL('**/checkout/*/page?*')
    await payWith(page, 'succeeded')
    await page.waitForURL(`${shop.origin}/order`)
    await expect(page.locator('output')).toHaveText('paid')
    await shop.close()
  })
}

test('a shop in a sandbox has no origin: it gets the reason, and the buyer a page', {
  tag: '@firefox',
}, async ({ page, stack }) => {
  const sandbox = ['content-security-policy', 'sandbox allow-forms'] as const
  const shop = await startPlainShop(stack.api, sandbox)
  await page.goto(shop.origin)
  await page.getByRole('button', { name: 'Pay' }).click()
  await expect(page.getByRole('alert')).toHaveText('The payment page cannot be opened now.')
  expect(String(shop.errors)).toMatch(/origin: must be .* in a sandbox/)
  await shop.close()
})
