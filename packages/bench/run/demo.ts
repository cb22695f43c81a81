/**
 * The built demo with the built service: a payment from the click to `paid`, and a start to the first handoff.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import { type Handoff, HttpBuyer, originsOf } from '@pi-checkout/test-support/http-buyer'
import {
  newKeys,
  type Stack,
  startService,
  startShop,
  startStack,
} from '@pi-checkout/test-support/stack'
import type { Browser, Page } from '@playwright/test'
import type { Samples, Size } from '../samples.ts'

const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' }

export async function measure(samples: Samples, size: Size): Promise<void> {
  await measurePayments(samples, size(15, 1))
  await measureStarts(samples, size(3, 1))
}

/** Pays in turns: a buyer in Chromium, a script in Node.js, a script in Chromium. */
async function measurePayments(samples: Samples, rounds: number): Promise<void> {
  const stack = await startStack()
  const browser = await launchBrowser()
  const pay = await browserBuyer(browser, stack)
  const payInTabs = await tabBuyer(browser, stack)
  await samples.inTurns(rounds, [
    async (record) => record('click on Pay to `paid` shown', { ms: await pay() }),
    async (record) => record('bare calls by a Node script', await payByScript(stack)),
    async (record) => record('bare calls by a script in Chromium', await payInTabs()),
  ])
  await browser.close()
  await stack.stop()
}

/** Starts service and shop in a new directory, and again in one with data. */
async function measureStarts(samples: Samples, rounds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
  const existing = join(folder, 'existing')
  let count = 0
  await startOnce(existing)
  await samples.inTurns(rounds, [
    async (record) => record('demo, new directory', await startOnce(join(folder, String(count++)))),
    async (record) => record('demo, existing directory', await startOnce(existing)),
  ])
  await rm(folder, { recursive: true, force: true })
}

async function startOnce(data: string) {
  const startedAt = performance.now()
  const service = await startService(['--data', join(data, 'service')])
  const { apiKey, baseUrl, checkoutOrigin } = service.ready
  const shop = await startShop({
    PORT: '0',
    PI_API_KEY: apiKey,
    PI_BASE_URL: baseUrl,
    PI_CHECKOUT_ORIGIN: checkoutOrigin,
    PI_HANDOFF_KEYS: newKeys(),
    PI_SHOP_DATA: join(data, 'shop'),
  })
  await (await fetch(shop.ready.shopUrl)).text()
  const page = performance.now() - startedAt
  const buyer = new HttpBuyer(originsOf({ shopUrl: shop.ready.shopUrl, api: service.ready }))
  await buyer.placeOrder()
  await buyer.handoff()
  const handoff = performance.now() - startedAt
  await shop.stop()
  await service.stop()
  return { 'first page ms': page, 'first handoff ms': handoff }
}

/** Orders and pays without our pages; only what follows the click is timed. */
async function payByScript(stack: Stack) {
  const buyer = new HttpBuyer(originsOf(stack))
  await buyer.placeOrder()
  await buyer.openSession(await buyer.handoff())
  const startedAt = performance.now()
  await buyer.pay()
  const confirmed = performance.now()
  const state = await buyer.state()
  const known = performance.now()
  await buyer.shownState()
  if (state !== 'paid') throw new Error(`The order is ${state}.`)
  return {
    ms: performance.now() - startedAt,
    confirm: confirmed - startedAt,
    status: known - confirmed,
    order: performance.now() - known,
  }
}

/** Returns a function that pays with the `fetch` of two idle tabs, one on each origin. */
async function tabBuyer(browser: Browser, { shopUrl, api }: Stack) {
  const context = await browser.newContext()
  const [shop, checkout] = [await context.newPage(), await context.newPage()]
  // A page without a form, whose policy allows calls to its own origin.
  await checkout.goto(`${api.checkoutOrigin}/docs`)
  return async () => {
    // Another buyer: the shop limits handoffs by session.
    await context.clearCookies()
    await shop.goto(`${shopUrl}/orders`)
    await send(shop, '/cart', 'product=thyme-tea&quantity=1')
    const orderId = (await send(shop, '/orders', '')).leadsTo.replace('/pay/', '')
    const { id, clientSecret } = await send(shop, '/checkout/handoff', { orderId })
    const credentials = { id, clientSecret, origin: shopUrl }
    const { token, intent } = await send(checkout, '/checkout-api/session', credentials)
    const paymentMethod = { type: 'card', card }
    const attempt = { attemptId: randomUUID(), version: intent?.version, paymentMethod }
    const confirm = await send(checkout, '/checkout-api/confirm', attempt, token)
    const status = await send(shop, `/checkout/status?orderId=${orderId}`)
    const order = await send(shop, `/orders/${orderId}`)
    if (status.phase !== 'paid') throw new Error(`The order is ${status.phase}.`)
    const ms = confirm.ms + status.ms + order.ms
    return { ms, confirm: confirm.ms, status: status.ms, order: order.ms }
  }
}

interface Response extends Partial<Handoff> {
  readonly ms: number
  /** Path of the page, after redirects. */
  readonly leadsTo: string
  readonly phase?: string
  readonly token?: string
  readonly intent?: { readonly version: number }
}

/** Sends a request from a tab, with POST if it has a body: JSON, or a form. */
async function send(
  tab: Page,
  path: string,
  body?: object | string,
  token?: string,
): Promise<Response> {
  const form = typeof body === 'string' && 'application/x-www-form-urlencoded'
  const headers = {
    'content-type': form || 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  const post = { method: 'POST', body: form ? body : JSON.stringify(body) }
  return await tab.evaluate(
    async ({ path, init }) => {
      const startedAt = performance.now()
      const response = await fetch(path, init)
      const text = await response.text()
      if (!response.ok) throw new Error(`${path} failed: ${text}`)
      const fields = text.startsWith('{') ? JSON.parse(text) : {}
      const leadsTo = new URL(response.url).pathname
      return { ...fields, ms: performance.now() - startedAt, leadsTo }
    },
    { path, init: { headers, ...(body !== undefined && post) } },
  )
}

// Documents report the two moments themselves, so that no query disturbs them. As text: no DOM types here.
const observer = `{
  const report = (name, at) => reportMoment(name, performance.timeOrigin + at)
  addEventListener('click', ({ target, timeStamp }) => {
    if (target.closest('button.pay')) report('clicked', timeStamp)
  })
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[data-testid="order-state"][data-state="paid"]')) return
    observer.disconnect()
    report('paid', performance.now())
  })
  observer.observe(document, { subtree: true, childList: true, attributes: true })
}`

/** Returns a function that pays in Chromium and returns milliseconds from the click to `paid`. */
async function browserBuyer(browser: Browser, { shopUrl }: Stack): Promise<() => Promise<number>> {
  const context = await browser.newContext({ baseURL: shopUrl, locale: 'en-US' })
  let clickedAt = 0
  let reportPaid = (_at: number): void => {}
  await context.exposeFunction('reportMoment', (name: 'clicked' | 'paid', at: number) => {
    if (name === 'clicked') clickedAt = at
    else reportPaid(at)
  })
  await context.addInitScript({ content: observer })
  const page = await context.newPage()
  return async () => {
    const paid = new Promise<number>((resolve) => {
      reportPaid = resolve
    })
    // Another buyer, with a warm cache.
    await context.clearCookies()
    await page.goto('/')
    await page.getByTestId('add-to-cart').first().click()
    await page.getByTestId('cart-count').filter({ hasText: '1' }).waitFor()
    await page.goto('/cart')
    await page.getByTestId('place-order').click()
    const form = page.frameLocator('pi-checkout iframe')
    await form.getByLabel('Card number').fill(card.number)
    await form.getByLabel('Expiry date').fill('12/34')
    await form.getByLabel('Security code').fill(card.cvc)
    await form.getByLabel('Name on card').fill('Test Buyer')
    await form.locator('button.pay[aria-disabled="false"]').click()
    return (await paid) - clickedAt
  }
}
