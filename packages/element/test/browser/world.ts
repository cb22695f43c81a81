/**
 * A shop, a checkout and a stranger on different sites, and a browser that visits the shop.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { firefoxPath, launchBrowser } from '@pi-checkout/test-support/browsers'
import { type Site, startSite } from '@pi-checkout/test-support/sites'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { type FakeHostedPageOptions, fakeHostedPage } from '../../src/testing.ts'

/** What a host says to one request; `undefined` breaks the connection, `'silence'` never answers. */
export type Answer =
  | { readonly body: string; readonly type?: string; readonly headers?: Record<string, string> }
  | { readonly redirect: string }
  | 'silence'
  | undefined

export type Answers = (path: string, request: IncomingMessage) => Answer

export interface Visit {
  /** Inside the shop's body. Default: one `<pi-checkout id="pay">`. */
  readonly body?: string
  /** The shop's module script. It may import `/shop.js`, and `PAY` is the checkout's origin. */
  readonly script?: string
  readonly headers?: Record<string, string>
  readonly hosted?: FakeHostedPageOptions | Answers
  /** Prepares the page before it goes to the shop. */
  readonly prepare?: (page: Page, context: BrowserContext) => Promise<unknown>
  readonly path?: string
  readonly colorScheme?: 'light' | 'dark' | null
}

export interface World {
  readonly shop: string
  readonly pay: string
  readonly evil: string
  /** Answers of the stranger's site. */
  stranger: Answers
  /** Paths that the checkout was asked for. */
  readonly asked: string[]
  /** Console lines and errors that the test expects; any other fails it, but the element's help. */
  readonly expected: RegExp[]
  /** What the element told the developer on the console. */
  readonly helped: string[]
  browser: () => Browser
  visit: (visit?: Visit) => Promise<Page>
  /** Changes what the checkout answers from now on. */
  hosted: (hosted: FakeHostedPageOptions | Answers) => void
}

/** A page that mounts the pair `pi_1` and `pi_1_secret_x` at once, from the npm entries. */
export const mountAtOnce = `
  import { configureCheckout } from '/shop.js'
  configureCheckout({ origin: PAY })
  Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })`

export interface WorldOptions {
  /** Default: `'chromium'`. */
  readonly engine?: 'chromium' | 'firefox'
  readonly args?: string[]
  readonly ignoreDefaultArgs?: string[]
}

/** Prepares a world for the tests of one file. */
export function prepareWorld({
  engine = 'chromium',
  args = [],
  ignoreDefaultArgs = [],
}: WorldOptions = {}): World {
  let browser: Browser | undefined
  let shopAnswers: Answers = () => undefined
  let payAnswers: Answers = () => undefined
  let world: World
  const sites: Site[] = []
  const contexts: BrowserContext[] = []
  const noise: string[] = []

  beforeAll(async () => {
    const origin = async (name: string, answers: Answers): Promise<string> => {
      const site = await startSite(
        (request, response) => {
          const answer = answers(request.url ?? '/', request)
          if (answer === 'silence') return
          if (answer === undefined) return void request.socket.destroy()
          if ('redirect' in answer) {
            return void response.writeHead(302, { location: answer.redirect }).end()
          }
          const type = answer.type ?? 'text/html; charset=utf-8'
          response.writeHead(200, {
            'content-type': type,
            'cache-control': 'no-store',
            ...answer.headers,
          })
          response.end(answer.body)
        },
        { name: `${name}.localhost` },
      )
      sites.push(site)
      return site.origin
    }
    Object.assign(world, {
      shop: await origin('shop', (path, request) => shopAnswers(path, request)),
      pay: await origin('pay', (path, request) => {
        if (path !== '/favicon.ico') world.asked.push(path)
        return path === '/pi-checkout.js' ? selfContained() : payAnswers(path, request)
      }),
      evil: await origin('evil', (path, request) => world.stranger(path, request)),
    })
    if (engine === 'firefox' && !firefoxPath()) return
    browser = await launchBrowser(engine, { args, ignoreDefaultArgs })
  })

  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
    const unexpected = noise.filter((line) => !world.expected.some((known) => known.test(line)))
    noise.length = 0
    world.asked.length = 0
    world.helped.length = 0
    world.expected.length = 0
    world.stranger = () => undefined
    expect(unexpected).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    for (const { close } of sites) await close()
  })

  const launched = (): Browser => {
    if (!browser) throw new Error('the browser has not started')
    return browser
  }

  world = {
    helped: [],
    shop: '',
    pay: '',
    evil: '',
    stranger: () => undefined,
    asked: [],
    expected: [],
    browser: launched,
    hosted: (hosted) => {
      payAnswers = answersOf(hosted)
    },
    visit: async ({
      body = '<pi-checkout id="pay"><p>Waiting</p></pi-checkout>',
      script = mountAtOnce,
      headers = {},
      hosted = {},
      prepare,
      path = '/',
      colorScheme = 'light',
    } = {}) => {
      world.hosted(hosted)
      shopAnswers = (asked) => {
        const { pathname } = new URL(asked, world.shop)
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
          return { body: script.replaceAll('PAY', JSON.stringify(world.pay)), type: javascript }
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
        if (line.startsWith('error: pi-checkout: ')) world.helped.push(line)
        else noise.push(line)
      })
      page.on('pageerror', (error) => noise.push(`thrown: ${error.message}`))
      await context.addInitScript(record)
      await prepare?.(page, context)
      // Not `load`, which waits for the frame.
      await page.goto(world.shop + path, { waitUntil: 'domcontentloaded' })
      return page
    },
  }
  return world
}

/** A hosted page that leaves on its first visit, and shows the result on the next. */
export function leavingOnce(): Answers {
  let visits = 0
  return () => ({
    body: fakeHostedPage({ steps: visits++ ? ['ready', 'finish'] : ['ready', 'leave'] }).html,
  })
}

/** Presses a button of the fake whose frame may be gone before Playwright hears of the click. */
export async function press(page: Page, testId: string, frame = 'iframe'): Promise<void> {
  const button = page.frameLocator(frame).getByTestId(testId)
  await button.evaluate((element: HTMLElement) => {
    setTimeout(() => element.click(), 250)
  })
}

/** Waits until the element stands there. By `evaluate`: `waitForFunction` breaks under strict policies. */
export async function stands(page: Page, state: string, id = 'pay'): Promise<void> {
  const look = (): Promise<unknown> =>
    page.evaluate((key) => Reflect.get(document.getElementById(key) ?? {}, 'state'), id)
  await expect.poll(look, patience).toBe(state)
}

/** What the element told the page so far: event types, with the state for a change of it. */
export function told(page: Page): Promise<string[]> {
  return page.evaluate(() => Reflect.get(window, 'told'))
}

/** Waits until the page was told this. */
export async function hears(page: Page, line: string): Promise<void> {
  await expect.poll(() => told(page), patience).toContain(line)
}

/** Prepares a page for `hastened`. */
export function ownClock(page: Page): Promise<void> {
  return page.clock.install()
}

/** What the page was told, after half a second more of its own clock: for polls that wait for timers. */
export async function hastened(page: Page): Promise<string[]> {
  await page.clock.runFor(500)
  return told(page)
}

const patience = { interval: 20, timeout: 15_000 }

function record(): void {
  if (window !== top) return
  const told: string[] = []
  Object.assign(window, { told })
  const types = ['statechange', 'ready', 'leave', 'finish', 'cancel', 'error']
  for (const type of types) {
    document.addEventListener(`pi-${type}`, (event) => {
      const { state, error } = event as Event & { state?: string; error?: { code: string } }
      told.push([event.type, state ?? error?.code].filter(Boolean).join(' '))
    })
  }
}

function answersOf(hosted: FakeHostedPageOptions | Answers): Answers {
  if (typeof hosted === 'function') return hosted
  const { html } = fakeHostedPage(hosted)
  return () => ({ body: html })
}

function selfContained(): Answer {
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
