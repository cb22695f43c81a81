/**
 * A shop, a checkout, and an attacker on different sites, and a browser that opens the shop.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { firefoxPath, launchBrowser } from '@pi-checkout/test-support/browsers'
import { type Site, startSite } from '@pi-checkout/test-support/sites'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { type FakeHostedPageOptions, fakeHostedPage } from '../../src/testing.ts'

/** The response to one request: `undefined` closes the connection, `'silence'` never responds. */
export type SiteResponse =
  | { readonly body: string; readonly type?: string; readonly headers?: Record<string, string> }
  | { readonly redirect: string }
  | 'silence'
  | undefined

export type Responder = (path: string, request: IncomingMessage) => SiteResponse

export interface PageOptions {
  /**
   * Markup in the shop's body.
   *
   * @default One `<pi-checkout id="pay">`
   */
  readonly body?: string
  /** The shop's module script. It may import `/shop.js`, and `PAY` is the checkout's origin. */
  readonly script?: string
  readonly headers?: Record<string, string>
  readonly hosted?: FakeHostedPageOptions | Responder
  /** Prepares the page before it goes to the shop. */
  readonly prepare?: (page: Page, context: BrowserContext) => Promise<unknown>
  readonly path?: string
  readonly colorScheme?: 'light' | 'dark' | null
}

export interface TestSites {
  readonly shop: string
  readonly pay: string
  readonly attackerOrigin: string
  /** Responses of the attacker's site. */
  attacker: Responder
  /** Paths of the requests to the checkout. */
  readonly requests: string[]
  /** Console lines and errors that the test expects: any other line, except `hints`, fails it. */
  readonly expectedLines: RegExp[]
  /** What the element printed for the developer. */
  readonly hints: string[]
  browser: () => Browser
  openShop: (options?: PageOptions) => Promise<Page>
  /** Changes what the checkout returns. */
  hosted: (hosted: FakeHostedPageOptions | Responder) => void
}

/** A page that mounts `pi_1` and `pi_1_secret_x` immediately, from the npm entries. */
export const mountImmediately = `
  import { configureCheckout } from '/shop.js'
  configureCheckout({ origin: PAY })
  Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })`

export interface BrowserOptions {
  /** @default 'chromium' */
  readonly engine?: 'chromium' | 'firefox'
  readonly args?: string[]
  readonly ignoreDefaultArgs?: string[]
}

/** Starts the sites and the browser for the tests of one file. */
export function prepareTestSites({
  engine = 'chromium',
  args = [],
  ignoreDefaultArgs = [],
}: BrowserOptions = {}): TestSites {
  let browser: Browser | undefined
  let respondShop: Responder = () => undefined
  let respondPay: Responder = () => undefined
  let sites: TestSites
  const servers: Site[] = []
  const contexts: BrowserContext[] = []
  const lines: string[] = []

  beforeAll(async () => {
    const origin = async (name: string, respond: Responder): Promise<string> => {
      const site = await startSite(
        (request, response) => {
          const result = respond(request.url ?? '/', request)
          if (result === 'silence') return
          if (result === undefined) return void request.socket.destroy()
          if ('redirect' in result) {
            return void response.writeHead(302, { location: result.redirect }).end()
          }
          const type = result.type ?? 'text/html; charset=utf-8'
          response.writeHead(200, {
            'content-type': type,
            'cache-control': 'no-store',
            ...result.headers,
          })
          response.end(result.body)
        },
        { name: `${name}.localhost` },
      )
      servers.push(site)
      return site.origin
    }
    Object.assign(sites, {
      shop: await origin('shop', (path, request) => respondShop(path, request)),
      pay: await origin('pay', (path, request) => {
        if (path !== '/favicon.ico') sites.requests.push(path)
        return path === '/pi-checkout.js' ? selfContained() : respondPay(path, request)
      }),
      attackerOrigin: await origin('evil', (path, request) => sites.attacker(path, request)),
    })
    if (engine === 'firefox' && !firefoxPath()) return
    browser = await launchBrowser(engine, { args, ignoreDefaultArgs })
  })

  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    const unexpected = lines.filter(
      (line) => !sites.expectedLines.some((known) => known.test(line)),
    )
    lines.length = 0
    sites.requests.length = 0
    sites.hints.length = 0
    sites.expectedLines.length = 0
    sites.attacker = () => undefined
    expect(unexpected).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    for (const { close } of servers) await close()
  })

  const launched = (): Browser => {
    if (!browser) throw new Error('the browser has not started')
    return browser
  }

  sites = {
    hints: [],
    shop: '',
    pay: '',
    attackerOrigin: '',
    attacker: () => undefined,
    requests: [],
    expectedLines: [],
    browser: launched,
    hosted: (hosted) => {
      respondPay = responderOf(hosted)
    },
    openShop: async ({
      body = '<pi-checkout id="pay"><p>Waiting</p></pi-checkout>',
      script = mountImmediately,
      headers = {},
      hosted = {},
      prepare,
      path: shopPath = '/',
      colorScheme = 'light',
    } = {}) => {
      sites.hosted(hosted)
      respondShop = (path) => {
        const { pathname } = new URL(path, sites.shop)
        const javascript = 'text/javascript'
        for (const [name, bundle] of Object.entries(inject('bundles'))) {
          if (pathname === `/${name}.js`) return { body: bundle, type: javascript }
        }
        if (pathname === '/checkout/handoff') {
          const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
          return { body: JSON.stringify(handoff), type: 'application/json' }
        }
        if (pathname === '/pi-checkout.js') return selfContained()
        if (pathname === '/page.js') {
          return { body: script.replaceAll('PAY', JSON.stringify(sites.pay)), type: javascript }
        }
        if (pathname === '/favicon.ico') return { body: '', type: 'image/x-icon' }
        return { body: shopPage(body), headers }
      }
      const context = await launched().newContext({
        colorScheme,
        viewport: { width: 1000, height: 900 },
      })
      contexts.push(context)
      const page = await context.newPage()
      page.setDefaultTimeout(10_000)
      page.on('console', (message) => {
        const line = `${message.type()}: ${message.text()}`
        if (line.startsWith('error: pi-checkout: ')) sites.hints.push(line)
        else lines.push(line)
      })
      page.on('pageerror', (error) => lines.push(`thrown: ${error.message}`))
      await context.addInitScript(record)
      await prepare?.(page, context)
      // Not `load`, which waits for the frame.
      await page.goto(sites.shop + shopPath, { waitUntil: 'domcontentloaded' })
      return page
    },
  }
  return sites
}

/** A hosted page that leaves when it is loaded first, and shows the result when it is loaded again. */
export function leavingOnce(): Responder {
  let visits = 0
  return () => ({
    body: fakeHostedPage({ steps: visits++ ? ['ready', 'finish'] : ['ready', 'leave'] }).html,
  })
}

/** Presses a button of the fake whose frame may be gone before Playwright is notified of the click. */
export async function press(page: Page, testId: string, frame = 'iframe'): Promise<void> {
  const button = page.frameLocator(frame).getByTestId(testId)
  await button.evaluate((element: HTMLElement) => {
    setTimeout(() => element.click(), 250)
  })
}

/** Waits for a state of the element, by `evaluate`: `waitForFunction` breaks under strict policies. */
export async function expectState(page: Page, state: string, id = 'pay'): Promise<void> {
  const look = (): Promise<unknown> =>
    page.evaluate((key) => Reflect.get(document.getElementById(key) ?? {}, 'state'), id)
  await expect.poll(look, polling).toBe(state)
}

/** Returns the element's events so far, with the new state or the error code. */
export function eventsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => Reflect.get(window, 'piEvents'))
}

/** Waits for an event, as `eventsOf` returns it. */
export async function expectEvent(page: Page, line: string): Promise<void> {
  await expect.poll(() => eventsOf(page), polling).toContain(line)
}

/** Prepares a page for `eventsAfterTimers`. */
export function installClock(page: Page): Promise<void> {
  return page.clock.install()
}

/** Returns the events after half a second on the page's clock: for polls that wait for timers. */
export async function eventsAfterTimers(page: Page): Promise<string[]> {
  await page.clock.runFor(500)
  return eventsOf(page)
}

const polling = { interval: 20, timeout: 15_000 }

function record(): void {
  if (window !== top) return
  const events: string[] = []
  Object.assign(window, { piEvents: events })
  const types = ['statechange', 'ready', 'leave', 'finish', 'cancel', 'error']
  for (const type of types) {
    document.addEventListener(`pi-${type}`, (event) => {
      const { state, error } = event as Event & { state?: string; error?: { code: string } }
      events.push([event.type, state ?? error?.code].filter(Boolean).join(' '))
    })
  }
}

function responderOf(hosted: FakeHostedPageOptions | Responder): Responder {
  if (typeof hosted === 'function') return hosted
  const { html } = fakeHostedPage(hosted)
  return () => ({ body: html })
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
    <link rel="stylesheet" href="data:text/css,pi-checkout:not(:defined){display:block;min-block-size:600px}">
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
