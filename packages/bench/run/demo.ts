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
import { newKeys, startService, startShop, startStack } from '@pi-checkout/test-support/stack'
import type { Browser, Page } from '@playwright/test'
import { demoRows } from '../rows.ts'
import { type Measured, median, pairs, rounded, rowOf } from '../statistics.ts'

const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' }

/** Milliseconds of the calls that follow a click on Pay. */
interface CallTimes {
  readonly confirm: number
  readonly status: number
  readonly order: number
}

interface Urls {
  readonly shopUrl: string
  readonly checkoutUrl: string
}

/** Calls both servers as one buyer. */
interface Caller {
  /** Becomes another buyer: the shop limits handoffs by session. */
  reset(): Promise<void>
  shop(path: string, request?: Request): Promise<Response>
  checkout(path: string, request: Request): Promise<Response>
}

interface Request {
  readonly method?: 'POST' | 'PUT'
  readonly body: object
  readonly token?: string
}

interface Response {
  readonly status: number
  readonly ms: number
  readonly body: {
    readonly orderId?: string
    readonly phase?: string
    readonly token?: string
    readonly intent?: { readonly version: number }
  }
}

/** Pays in turns: a buyer in Chromium, a script in Node.js, a script in Chromium. */
export async function measurePayments(rounds: number): Promise<Measured> {
  const stack = await startStack()
  const urls = { shopUrl: stack.shopUrl, checkoutUrl: stack.api.checkoutOrigin }
  const browser = await launchBrowser()
  const pay = await browserBuyer(browser, urls)
  const callers = [nodeCaller(urls), await tabCaller(browser, urls)] as const
  const shown: number[] = []
  const times: [CallTimes[], CallTimes[]] = [[], []]
  // The first round warms caches and compilers; not counted.
  for (let round = 0; round <= rounds; round++) {
    const all = [
      await pay(),
      await payBare(callers[0], urls),
      await payBare(callers[1], urls),
    ] as const
    if (round === 0) continue
    shown.push(all[0])
    times[0].push(all[1])
    times[1].push(all[2])
  }
  await browser.close()
  await stack.stop()
  const sums = (index: 0 | 1) => times[index].map((it) => it.confirm + it.status + it.order)
  const medians = (index: 0 | 1) => ({
    ms: rounded(median(sums(index))),
    confirm: rounded(median(times[index].map(({ confirm }) => confirm))),
    status: rounded(median(times[index].map(({ status }) => status))),
    order: rounded(median(times[index].map(({ order }) => order))),
  })
  return {
    rows: [
      rowOf(demoRows.script, pairs(shown, sums(0))),
      rowOf(demoRows.browser, pairs(shown, sums(1))),
    ],
    figures: [
      { what: 'click on Pay to `paid` shown', ms: rounded(median(shown)) },
      { what: 'bare calls by a Node script', ...medians(0) },
      { what: 'bare calls by a script in Chromium', ...medians(1) },
    ],
  }
}

/** Starts service and shop in a new directory, and again in the same one. */
export async function measureDemoStarts(rounds: number): Promise<Measured> {
  const times = { fresh: [] as Start[], existing: [] as Start[] }
  for (let round = 0; round < rounds; round++) {
    const data = await mkdtemp(join(tmpdir(), 'pi-bench-'))
    times.fresh.push(await startOnce(data))
    times.existing.push(await startOnce(data))
    await rm(data, { recursive: true, force: true })
  }
  const seconds = (all: readonly Start[]) =>
    all.map(({ handoff }) => ({ ours: handoff, baseline: 1000 }))
  const figures = (directory: string, all: readonly Start[]) => ({
    what: `demo, ${directory} directory`,
    'first page ms': rounded(median(all.map(({ page }) => page))),
    'first handoff ms': rounded(median(all.map(({ handoff }) => handoff))),
  })
  return {
    rows: [
      rowOf(demoRows.newDirectory, seconds(times.fresh)),
      rowOf(demoRows.existingDirectory, seconds(times.existing)),
    ],
    figures: [figures('new', times.fresh), figures('existing', times.existing)],
  }
}

/** Milliseconds since the service was started. */
interface Start {
  readonly page: number
  readonly handoff: number
}

async function startOnce(data: string): Promise<Start> {
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
  const caller = nodeCaller({ shopUrl: shop.ready.shopUrl, checkoutUrl: checkoutOrigin })
  await caller.reset()
  const page = performance.now() - startedAt
  await handoff(caller)
  const times = { page, handoff: performance.now() - startedAt }
  await shop.stop()
  await service.stop()
  return times
}

async function handoff(caller: Caller): Promise<{ orderId: string; body: object }> {
  await caller.shop('/api/cart/thyme-tea', { method: 'PUT', body: { quantity: 1 } })
  const { orderId = '' } = (await caller.shop('/api/orders', { body: {} })).body
  const { body } = await caller.shop('/checkout/handoff', { body: { orderId } })
  return { orderId, body }
}

/** Orders and pays without our pages; only what follows the click is timed. */
async function payBare(caller: Caller, { shopUrl }: Urls): Promise<CallTimes> {
  await caller.reset()
  const { orderId, body } = await handoff(caller)
  const session = await caller.checkout('session', { body: { ...body, origin: shopUrl } })
  const { token = '', intent } = session.body
  const paymentMethod = { type: 'card', card }
  const attempt = { attemptId: randomUUID(), version: intent?.version, paymentMethod }
  const confirm = await caller.checkout('confirm', { token, body: attempt })
  const status = await caller.shop(`/checkout/status?orderId=${orderId}`)
  const order = await caller.shop(`/api/orders/${orderId}`)
  if (status.body.phase !== 'paid') throw new Error(`The order is ${status.body.phase}.`)
  return { confirm: confirm.ms, status: status.ms, order: order.ms }
}

function nodeCaller({ shopUrl, checkoutUrl }: Urls): Caller {
  const cookies = new Map<string, string>()
  const send = async (base: string, path: string, request?: Request): Promise<Response> => {
    const startedAt = performance.now()
    const response = await fetch(base + path, {
      ...initOf(request),
      headers: {
        ...headersOf(request),
        ...(base === shopUrl
          ? { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
          : {}),
        ...(request ? { origin: base, 'sec-fetch-site': 'same-origin' } : {}),
      },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const isJson = response.headers.get('content-type')?.includes('json')
    const body = isJson ? ((await response.json()) as Response['body']) : {}
    return checked({ status: response.status, ms: performance.now() - startedAt, body })
  }
  return {
    async reset() {
      cookies.clear()
      await send(shopUrl, '/')
    },
    shop: (path, request) => send(shopUrl, path, request),
    checkout: (path, request) => send(checkoutUrl, `/checkout-api/${path}`, request),
  }
}

/** Calls with the `fetch` of two idle tabs, one on each origin. */
async function tabCaller(browser: Browser, { shopUrl, checkoutUrl }: Urls): Promise<Caller> {
  const context = await browser.newContext()
  const [shop, checkout] = [await context.newPage(), await context.newPage()]
  // A page without a form, whose policy allows calls to its own origin.
  await checkout.goto(`${checkoutUrl}/docs`)
  return {
    async reset() {
      await context.clearCookies()
      await shop.goto(`${shopUrl}/orders`)
    },
    shop: (path, request) => sendFrom(shop, path, request),
    checkout: (path, request) => sendFrom(checkout, `/checkout-api/${path}`, request),
  }
}

async function sendFrom(tab: Page, path: string, request?: Request): Promise<Response> {
  const init = { ...initOf(request), headers: headersOf(request) }
  return checked(
    await tab.evaluate(
      async ({ path, init }) => {
        const startedAt = performance.now()
        const response = await fetch(path, init)
        const body = (await response.json()) as Response['body']
        return { status: response.status, ms: performance.now() - startedAt, body }
      },
      { path, init },
    ),
  )
}

function initOf(request?: Request): RequestInit {
  return request ? { method: request.method ?? 'POST', body: JSON.stringify(request.body) } : {}
}

function headersOf(request?: Request): Record<string, string> {
  const token = request?.token
  return {
    'content-type': 'application/json',
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  }
}

function checked(response: Response): Response {
  if (response.status < 400) return response
  throw new Error(`A bare call returned ${response.status}: ${JSON.stringify(response.body)}`)
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
async function browserBuyer(browser: Browser, { shopUrl }: Urls): Promise<() => Promise<number>> {
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
