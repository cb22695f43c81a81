/** A shop, a checkout, and an attacker on three sites, and a browser that opens the shop. @module */
import type { IncomingMessage, RequestListener } from 'node:http'
import { firefoxPath, launchBrowser } from '@pi-checkout/test-support/browsers'
import { type Site, startSite } from '@pi-checkout/test-support/sites'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { type FakeHostedPageOptions, fakeHostedPage } from '../../src/testing/index.ts'

/** The response to one request: `undefined` closes the connection, `'silence'` sends nothing. */
export type SiteResponse =
  | { readonly body: string; readonly type?: string; readonly headers?: Record<string, string> }
  | 'silence'
  | undefined

export type Responder = (path: string, request: IncomingMessage) => SiteResponse

export interface PageOptions {
  /** Content of the shop's body. Default: one `<pi-checkout id="pay">`. */
  readonly body?: string
  /** Replaces the whole page of the shop. */
  readonly html?: string
  /** The shop's module script. It may import `/shop.js`; `PAY` is the checkout's origin. */
  readonly script?: string
  readonly headers?: Record<string, string>
  readonly hosted?: FakeHostedPageOptions | Responder
  /** Prepares the page before it opens the shop. */
  readonly prepare?: (page: Page, context: BrowserContext) => unknown
  readonly path?: string
  readonly colorScheme?: 'light' | 'dark' | null
}

export interface Sites {
  readonly shop: string
  readonly checkout: string
  readonly attacker: string
  /** Responses of the attacker's site. */
  respondAsAttacker: Responder
  /** Paths that were requested from the checkout. */
  readonly requests: string[]
  /** Console lines and errors that the test expects. Any other one fails it, except the element's help. */
  readonly expectedMessages: RegExp[]
  openShop: (options?: PageOptions) => Promise<Page>
  /** Changes the checkout's responses. */
  serveCheckout: (hosted: FakeHostedPageOptions | Responder) => void
}

/** Defines the tag from the npm entries. */
export const configure = `
  import { defineCheckout } from '/shop.js'
  defineCheckout({ checkoutOrigin: PAY })`

/** Configures the checkout, and mounts `pi_1` and `pi_1_secret_x`. */
export const mountDirectly = `${configure}
  Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })`

/** The events of an element until its form is usable. */
export const readyEvents = ['pi-statechange loading', 'pi-statechange ready', 'pi-ready']

/** Starts the sites and a browser for the tests of one file. */
export function startSites({
  engine = 'chromium' as 'chromium' | 'firefox',
  ignoreDefaultArgs = [] as string[],
} = {}): Sites {
  let browser: Browser | undefined
  let respondAsShop: Responder = () => undefined
  let respondAsCheckout: Responder = () => undefined
  const servers: Site[] = []
  const contexts: BrowserContext[] = []
  const messages: string[] = []

  const serve = async (name: string, respond: Responder): Promise<string> => {
    const listener: RequestListener = (request, response) => {
      const content = respond(request.url ?? '/', request)
      if (content === 'silence') return
      if (!content) return void request.socket.destroy()
      const { body, type = 'text/html; charset=utf-8', headers } = content
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', ...headers })
      response.end(body)
    }
    const site = await startSite(listener, { name: `${name}.localhost` })
    servers.push(site)
    return site.origin
  }

  const sites: Sites = {
    shop: '',
    checkout: '',
    attacker: '',
    respondAsAttacker: () => undefined,
    requests: [],
    expectedMessages: [],
    serveCheckout: (hosted) => {
      respondAsCheckout = typeof hosted === 'function' ? hosted : fake(hosted)
    },
    openShop: async ({
      body = '<pi-checkout id="pay"><p>Waiting</p></pi-checkout>',
      html = shopPage(body),
      script = mountDirectly,
      headers = {},
      hosted = {},
      prepare,
      path = '/',
      colorScheme = 'light',
    } = {}) => {
      sites.serveCheckout(hosted)
      const javascript = script.replaceAll('PAY', JSON.stringify(sites.checkout))
      respondAsShop = (url) => shopResponse(url, javascript) ?? { body: html, headers }
      if (!browser) throw new Error('the browser has not started')
      const viewport = { width: 1000, height: 900 }
      const context = await browser.newContext({ colorScheme, viewport })
      contexts.push(context)
      const page = await context.newPage()
      page.setDefaultTimeout(10_000)
      page.on('console', (message) => {
        const line = `${message.type()}: ${message.text()}`
        if (!line.startsWith('error: pi-checkout: ')) messages.push(line)
      })
      page.on('pageerror', (error) => messages.push(`thrown: ${error.message}`))
      await context.addInitScript(recordEvents)
      await prepare?.(page, context)
      // Not `load`, which waits for the frame.
      await page.goto(sites.shop + path, { waitUntil: 'domcontentloaded' })
      return page
    },
  }

  beforeAll(async () => {
    Object.assign(sites, {
      shop: await serve('shop', (path, request) => respondAsShop(path, request)),
      checkout: await serve('pay', (path, request) => {
        if (path !== '/favicon.ico') sites.requests.push(path)
        return path === '/v1/pi-checkout.js' ? selfContained() : respondAsCheckout(path, request)
      }),
      attacker: await serve('evil', (path, request) => sites.respondAsAttacker(path, request)),
    })
    if (engine === 'firefox' && !firefoxPath()) return
    browser = await launchBrowser(engine, { ignoreDefaultArgs })
  })

  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    const { requests, expectedMessages } = sites
    const isExpected = (line: string): boolean => expectedMessages.some((known) => known.test(line))
    const unexpected = messages.filter((line) => !isExpected(line))
    for (const list of [messages, requests, expectedMessages]) list.length = 0
    sites.respondAsAttacker = () => undefined
    expect(unexpected).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    for (const { close } of servers) await close()
  })

  return sites
}

/** A hosted page that leaves for the bank at first, and shows the result afterwards. */
export function leaveOnce(): Responder {
  let loads = 0
  return () => fake({ steps: loads++ ? ['ready', 'finish'] : ['ready', 'leave'] })('', undefined)
}

/** Clicks a button of the fake. Its frame may disappear before Playwright receives a result. */
export async function clickInFrame(page: Page, testId: string): Promise<void> {
  const button = page.frameLocator('iframe').getByTestId(testId)
  await button.evaluate((element: HTMLElement) => {
    setTimeout(() => element.click(), 250)
  })
}

/** Returns what the fake shows under a test id. */
export function textInFrame(page: Page, testId: string): Promise<string | null> {
  return page.frameLocator('pi-checkout iframe').getByTestId(testId).textContent()
}

/** Waits for a state. By `evaluate`, because `waitForFunction` fails under strict policies. */
export async function waitForState(page: Page, state: string): Promise<void> {
  await expect
    .poll(() => page.evaluate("document.getElementById('pay').state"), polling)
    .toBe(state)
}

/** Returns the events so far: their types, with the new state or the error's code. */
export function eventsOf(page: Page): Promise<string[]> {
  return page.evaluate('eventLog')
}

/** Waits for an event. */
export async function waitForEvent(page: Page, event: string): Promise<void> {
  await expect.poll(() => eventsOf(page), polling).toContain(event)
}

/** Prepares a page for `eventsAfterTick`. */
export function installClock(page: Page): Promise<void> {
  return page.clock.install()
}

/** Returns the events after another half second of the page's own clock: for polls that wait for timers. */
export async function eventsAfterTick(page: Page): Promise<string[]> {
  await page.clock.runFor(500)
  return eventsOf(page)
}

/** Adds up the layout shifts of the page, from its start. */
export function observeShifts(page: Page): Promise<unknown> {
  return page.addInitScript(`
    window.shift = 0
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) shift += value
    }).observe({ type: 'layout-shift', buffered: true })`)
}

/** Returns the sum of the layout shifts so far. */
export async function shiftOf(page: Page): Promise<unknown> {
  await page.waitForTimeout(200)
  return page.evaluate('shift')
}

const polling = { interval: 20, timeout: 15_000 }

function recordEvents(): void {
  if (window !== top) return
  const eventLog: string[] = []
  Object.assign(window, { eventLog })
  for (const type of ['statechange', 'ready', 'leave', 'finish', 'cancel', 'error']) {
    document.addEventListener(`pi-${type}`, (event) => {
      const { state, error } = event as Event & { state?: string; error?: { code: string } }
      eventLog.push([event.type, state ?? error?.code].filter(Boolean).join(' '))
    })
  }
}

function fake(options: FakeHostedPageOptions): (path: string, request: unknown) => SiteResponse {
  const { html } = fakeHostedPage(options)
  return () => ({ body: html })
}

/** Returns what the shop serves besides its pages. */
function shopResponse(url: string, script: string): SiteResponse {
  const [path = ''] = url.split('?')
  const type = 'text/javascript'
  const scripts: Record<string, string> = { '/page.js': script }
  for (const [name, code] of Object.entries(inject('bundles'))) scripts[`/${name}.js`] = code
  if (scripts[path] !== undefined) return { body: scripts[path], type }
  if (path === '/v1/pi-checkout.js') return selfContained()
  if (path === '/favicon.ico') return { body: '', type: 'image/x-icon' }
  const routes: Record<string, object> = {
    '/checkout/handoff': { id: 'pi_1', clientSecret: 'pi_1_secret_x' },
    '/checkout/status': { phase: 'paid' },
  }
  const body = routes[path]
  return body && { body: JSON.stringify(body), type: 'application/json' }
}

function selfContained(): SiteResponse {
  return {
    body: inject('standalone'),
    type: 'text/javascript',
    headers: {
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    },
  }
}

function shopPage(body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Shop</title>
    <link rel="stylesheet" href="data:text/css,pi-checkout:not(:defined){display:block;min-block-size:532px}">
  </head>
  <body>
    <main>
      <h1>Shop</h1>
      ${body}
      <p id="after">After the checkout</p>
    </main>
    <script type="module" src="/page.js"></script>
  </body>
</html>`
}
