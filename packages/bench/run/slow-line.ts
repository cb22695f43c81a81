/** A buyer on a slow line, from "Check out" in the cart to the usable form, and the same requests by a script. @module */
import { launchBrowser } from '@pi-checkout/test-support/browsers'
import { freePort } from '@pi-checkout/test-support/free-port'
import { HttpBuyer } from '@pi-checkout/test-support/http-buyer'
import { SlowLine } from '@pi-checkout/test-support/slow-line'
import { startStack } from '@pi-checkout/test-support/stack'
import type { Browser } from '@playwright/test'
import type { Samples, Size } from '../samples.ts'

interface Origins {
  readonly shop: string
  readonly checkout: string
}

export async function measure(samples: Samples, size: Size): Promise<void> {
  const [shopPort, servicePort] = [await freePort(), await freePort()]
  const line = new SlowLine({ roundTrip: 300, bytesPerSecond: 50_000 })
  const shop = `http://localhost:${await line.forward(shopPort)}`
  const checkout = `http://127.0.0.1:${await line.forward(servicePort)}`
  const stack = await startStack({
    servicePort,
    service: { PI_PUBLIC_URL: checkout },
    shop: { PORT: String(shopPort), SHOP_ORIGIN: shop, PI_CHECKOUT_ORIGIN: checkout },
  })
  const browser = await launchBrowser()
  await samples.inTurns(size(7, 1), [
    async (record) => record('slow line', await openForm(browser, { shop, checkout })),
    async (record) => record('slow line, a script', await sendRequests({ shop, checkout })),
  ])
  await browser.close()
  await stack.stop()
  await line.stop()
}

// Documents report their moments themselves. As text: no DOM types here.
const observer = `{
  const report = (name, at) => reportMoment(name, performance.timeOrigin + at)
  const isTop = top === window
  addEventListener('click', ({ timeStamp }) => report('click', timeStamp))
  addEventListener('pi-ready', ({ timeStamp }) => report('usable', timeStamp))
  const observe = (type, onEntry) => new PerformanceObserver((list) => list.getEntries().forEach(onEntry))
    .observe({ type, buffered: true })
  observe('paint', ({ startTime }) => isTop && report('painted', startTime))
  observe('resource', ({ name, responseEnd }) => {
    if (name.endsWith('/handoff')) report('handoff', responseEnd)
  })
  observe('navigation', ({ responseEnd }) => {
    if (location.pathname.startsWith('/checkout/')) report('frame', responseEnd)
  })
}`

/** Opens the form from the cart, with what the shop's other pages have loaded. Returns milliseconds from the click. */
async function openForm(browser: Browser, { shop }: Origins) {
  const context = await browser.newContext({ baseURL: shop, locale: 'en-US' })
  const moments = new Map<string, number>()
  let finish = (): void => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  await context.exposeFunction('reportMoment', (name: string, at: number) => {
    moments.set(name, at)
    if (name === 'usable') finish()
  })
  await context.addInitScript({ content: observer })
  const page = await context.newPage()
  await page.goto('/')
  await page.getByTestId('add-to-cart').first().click()
  await page.getByTestId('cart-count').filter({ hasText: '1' }).waitFor()
  await page.goto('/cart', { waitUntil: 'networkidle' })
  await page.getByTestId('place-order').click()
  await finished
  const sinceClick = (name: string): number =>
    (moments.get(name) ?? Number.NaN) - (moments.get('click') ?? 0)
  const figures = {
    ms: sinceClick('usable'),
    'first paint ms': sinceClick('painted'),
    'handoff ms': sinceClick('handoff'),
    'frame ms': sinceClick('frame'),
  }
  await context.close()
  return figures
}

/** Sends the requests that need each other's responses, without anything to load, run, or draw. */
async function sendRequests({ shop, checkout }: Origins): Promise<{ readonly ms: number }> {
  const buyer = new HttpBuyer({
    ...{ shop: shop.replace('localhost', '127.0.0.1'), shopOrigin: shop, checkout },
  })
  await buyer.placeOrder()
  const headers = { origin: shop, cookie: buyer.cookies, connection: 'keep-alive' }
  const startedAt = performance.now()
  // Leads to the page of the form.
  await (await fetch(`${shop}/orders`, { method: 'POST', headers })).text()
  const handoff = await buyer.handoff()
  await (await fetch(`${checkout}/checkout/${handoff.id}`)).text()
  await buyer.openSession(handoff)
  return { ms: performance.now() - startedAt }
}
