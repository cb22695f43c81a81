import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installedChromium } from '@pi-checkout/test-support/browsers'
import { startSite } from '@pi-checkout/test-support/sites'
import { type Browser, chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type BrowserStack, expectResult, openShop, startBrowserStack } from './browser.ts'
import { startShop } from './shop-page.ts'

// A browser has no deadline on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

let stack: BrowserStack

beforeAll(async () => {
  stack = await startBrowserStack()
})
afterAll(async () => await stack.close())

/** Errors that a browser prints about a frame that it refuses to show. */
const refusedFrame = [/frame-ancestors/, /ERR_BLOCKED_BY_RESPONSE/, /Failed to load resource/]

/** Resolves when the browser says that it does not show a frame. */
async function refusal(page: Page): Promise<unknown> {
  return await page.waitForEvent('console', (line) => /frame-ancestors/.test(line.text()))
}

test('a shop whose origin is not registered is told so, and sees neither form nor data', async () => {
  const stranger = await startShop(stack.checkout, 'evil.localhost')
  const pair = await stack.checkout.createIntent()
  const window = await openShop({ ...stack, shop: stranger }, pair, { ready: false })
  await expect.poll(window.messages).toEqual(['hello', 'fail origin_not_allowed'])
  expect(await window.frame.locator('input').count()).toBe(0)
  expect(await window.frame.locator('body').textContent()).not.toContain('Ararat')
  await window.close()
  await stranger.close()
})

test('a stranger that hides where it comes from gets no page at all', async () => {
  const stranger = await startShop(stack.checkout, 'evil.localhost')
  const pair = await stack.checkout.createIntent()
  let refused: Promise<unknown> | undefined
  const window = await openShop({ ...stack, shop: stranger }, pair, {
    ready: false,
    expected: refusedFrame,
    prepare: async (page) => {
      refused = refusal(page)
      await page.addInitScript(`
        Object.defineProperty(HTMLIFrameElement.prototype, 'referrerPolicy', {
          set() { this.setAttribute('referrerpolicy', 'no-referrer') },
        })`)
    },
  })
  await refused
  expect(await window.messages()).toEqual([])
  await window.close()
  await stranger.close()
})

test('a registered shop in the frame of a stranger gets no page', async () => {
  const pair = await stack.checkout.createIntent()
  const window = await openShop(stack, pair, { ready: false, expected: refusedFrame })
  const { page } = window
  // Listens itself: of a page that a route made up, no frame may reach this machine.
  const stranger = await startSite()
  const frame = `<!doctype html><iframe src="${page.url().replaceAll('&', '&amp;')}"></iframe>`
  stranger.serve((_, response) => response.setHeader('content-type', 'text/html').end(frame))
  const refused = refusal(page)
  await page.goto(`http://evil.localhost:${stranger.port}/`)
  await refused
  const [shop] = page.frames().filter((frame) => frame.url().startsWith(stack.shop.origin))
  expect(await shop?.evaluate('messages')).toEqual([])
  const inner = page.frames().find((frame) => frame.url().includes('/checkout/'))
  expect(inner).toBeUndefined()
  await window.close()
  await stranger.close()
})

test('wrong, foreign and mixed-up pairs are refused alike', async () => {
  const one = await stack.checkout.createIntent()
  const two = await stack.checkout.createIntent()
  for (const [pair, query] of [
    [{ ...one, clientSecret: two.clientSecret }, {}],
    [{ id: 'pi_000000000000000000000000', clientSecret: one.clientSecret }, {}],
    [one, { at: two.id }],
  ] as const) {
    const window = await openShop(stack, pair, { ready: false, query, expected: refusedFrame })
    await expect.poll(window.messages).toContain('fail unauthorized')
    expect(await window.messages()).not.toContain('ready')
    expect(await window.frame.locator('input').count()).toBe(0)
    await window.close()
  }
})

test('messages of anybody but the page around the frame change nothing', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent())
  await window.page.evaluate(`{
    const frame = document.querySelector('iframe')
    const sibling = document.createElement('iframe')
    sibling.srcdoc = \`<script>
      for (let at = 0; at < 1000; at++) {
        const { port2 } = new MessageChannel()
        const doc = 'A'.repeat(22)
        const messages = [
          { pi: 'checkout', t: 'init', v: 1, doc }, { pi: 'challenge', t: 'done' },
          { t: 'auth', id: 'x', secret: 'y' }, { t: 'left', page: 'https://evil.example' }, null, at,
        ]
        parent.frames[0].postMessage(messages[at % messages.length], '*', at % 6 === 0 ? [port2] : [])
      }
    <\\/script>\`
    document.body.append(sibling)
    for (const message of [{ pi: 'checkout', t: 'init', v: 1, doc: 'B'.repeat(22) }, { t: 'ping' }]) {
      frame.contentWindow.postMessage(message, '*', [new MessageChannel().port2])
    }
  }`)
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  expect((await window.messages()).filter((message) => message === 'ready')).toHaveLength(1)
  await window.close()
})

test('Enter in a field pays although Pay is below the fold', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent(), {
    context: { viewport: { width: 390, height: 300 } },
  })
  await window.fill('4242424242424242')
  await window.frame.getByLabel('Card number').scrollIntoViewIfNeeded()
  await window.frame.getByLabel('Card number').press('Enter')
  await expectResult(window, 'paid')
  await window.close()
})

test('a hostile bank page moves no window, opens none and settles nothing', async () => {
  const pair = await stack.checkout.createIntent()
  const lines: string[] = []
  const window = await openShop(stack, pair, {
    // The browser says no, loudly.
    expected: [/./],
    prepare: async (page) => {
      page.on('console', (line) => lines.push(line.text()))
      await hostileBank(page, stack.checkout.challengeUrl)
    },
  })
  await window.pay('4000000000003220')
  await window.bank.getByText('tried everything').waitFor()
  const count = (words: RegExp): number => lines.filter((line) => words.test(line)).length
  await expect.poll(() => count(/^Unsafe attempt to initiate navigation/)).toBe(2)
  await expect.poll(() => count(/^Blocked opening/)).toBe(1)
  expect(new URL(window.page.url()).origin).toBe(stack.shop.origin)
  expect(window.page.context().pages()).toHaveLength(1)
  expect(await window.messages()).not.toContain('finish')
  await window.frame.getByRole('button', { name: 'Use another card' }).click()
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  await window.close()
})

async function hostileBank(page: Page, challengeUrl: string): Promise<void> {
  const body = `<!doctype html><body><script>
    const tries = [
      () => { top.location = 'http://evil.localhost/' },
      () => { parent.location = 'http://evil.localhost/' },
      () => { window.open('http://evil.localhost/') },
      () => { for (let at = 0; at < 2000; at++) parent.postMessage({ pi: 'challenge', t: 'done', at }, '*') },
      () => { top.postMessage({ t: 'finish' }, '*'); parent.postMessage({ t: 'left', page: 'http://evil.localhost/' }, '*') },
    ]
    for (const attempt of tries) { try { attempt() } catch {} }
    document.body.append('tried everything')
  </script>`
  await page.route(`${challengeUrl}/challenge`, async (route) => {
    await route.fulfill({ contentType: 'text/html', body })
  })
}

const hostileTexts = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '</script><script>alert(1)</script>',
  "';alert(1)//",
  '{{alert(1)}} #{alert(1)}',
  '<iframe srcdoc="<script>alert(1)</script>">',
  'javascript:alert(1)',
  '&lt;img src=x onerror=alert(1)&gt;',
  '<b onclick=alert(1)>&"\'`',
  '<!--<style>*{display:none}</style>',
  // The store itself refuses such an order; a merchant's name could have them.
  '\u202Elive\u202C \u2067evil',
  '\u2028alert(1)\u0007',
]

test('twelve hostile names and orders are shown as they are, as text that turns nothing around it (threat 65)', async () => {
  const pair = await stack.checkout.createIntent({ environmentId: 'env_other' })
  await stack.checkout.registerOrigin(stack.shop.origin, 'env_other')
  const dialogs: string[] = []
  const window = await openShop(stack, pair, {
    prepare: async (page) => {
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
    },
  })
  const { frame, page } = window
  for (const text of hostileTexts) {
    await stack.checkout.db.query`update merchants set name = ${text} where id = 'mer_books'`
    const order = /\p{C}|\p{Zl}/u.test(text) ? 'A-1001' : text.slice(0, 32)
    await stack.checkout.db.query`
      update payment_intents set order_id = ${order} where id = ${pair.id}`
    await page.reload()
    await expect.poll(window.messages, { timeout: 15_000 }).toContain('ready')
    expect(await frame.locator('.merchant bdi').textContent()).toBe(text)
    expect(await frame.getByTestId('order').textContent()).toBe(`Order ${order}`)
    // A right-to-left override ends with its own element, and the amount reads as it should.
    expect(await frame.locator('body').evaluate(plain)).toEqual([true, true])
    expect(await frame.locator('img, b, iframe, script:not([src]), style').count()).toBe(0)
    expect(await frame.getByTestId('amount').isVisible()).toBe(true)
  }
  expect(dialogs).toEqual([])
  await window.close()
})

const plain = `[...document.querySelectorAll('bdi')].map(
  (node) => node.children.length === 0 && getComputedStyle(node).unicodeBidi === 'isolate',
)`

/** What a browser gives a page in a frame of another site, and how to have such a browser. */
const storages = [
  // Playwright turns the partitions off, and the last list of features counts.
  ['of its own for each shop', { persistent: true, off: 'Translate' }],
  ['shared with its own site', { persistent: true, off: 'ThirdPartyStoragePartitioning' }],
  // A private window.
  ['refused', { persistent: false, off: '' }],
] as const

test.each(storages)(
  'the page keeps nothing where storage is %s: no cookie, no entry, no step in the history (threat 67)',
  async (storage, { persistent, off }) => {
    const browser = persistent ? keepingBrowser(off) : stack.browser
    const window = await openShop({ ...stack, browser }, await stack.checkout.createIntent(), {
      expected: [/status of 404/],
      prepare: async (page) => {
        // A visit of its own leaves a mark there, which tells whether the frame shares that storage.
        await page.goto(`${stack.checkout.url}/checkout/pi_none`)
        await page.evaluate(`localStorage.setItem('mark', '')`)
      },
    })
    const { page, frame } = window
    const entries = await page.evaluate('history.length')
    await window.pay('4000000000003220')
    await window.bank.getByLabel('Code').fill('1234')
    await window.bank.getByRole('button', { name: 'Confirm' }).click()
    await expectResult(window, 'paid')
    expect(await page.context().cookies()).toEqual([])
    expect(await frame.locator('body').evaluate(kept)).toEqual(
      storage === 'refused'
        ? ['SecurityError', 'SecurityError', 'UnknownError', 'SecurityError']
        : [storage === 'shared with its own site' ? ['mark'] : [], [], [], []],
    )
    expect(await page.evaluate('history.length')).toBe(entries)
    await window.close()
  },
)

/** A browser that lets frames of other sites store things: private windows, and Debian's default, do not. */
function keepingBrowser(off: string): Pick<Browser, 'newContext'> {
  const args = [`--disable-features=${off}`]
  const home = mkdtempSync(join(tmpdir(), 'pi-profile-'))
  mkdirSync(join(home, 'Default'))
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } }
  writeFileSync(join(home, 'Default/Preferences'), JSON.stringify(preferences))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  return {
    newContext: async (options) => {
      const installed = await installedChromium()
      return await chromium.launchPersistentContext(home, { ...options, ...installed, args })
    },
  }
}

/** Runs in the page: what stands in each of its storages, or why it may not look. */
const kept = `Promise.all(
  [
    () => Object.keys(localStorage),
    () => Object.keys(sessionStorage),
    async () => await indexedDB.databases(),
    async () => await caches.keys(),
  ].map(async (look) => {
    try {
      return await look()
    } catch ({ name }) {
      return name
    }
  }),
)`

test('the secret and the card are in no address, no attribute and no text of the page', async () => {
  const pair = await stack.checkout.createIntent()
  const urls: string[] = []
  const window = await openShop(stack, pair, {
    prepare: async (page) => {
      page.on('request', (request) => {
        if (!request.url().startsWith(stack.shop.origin)) urls.push(request.url())
      })
    },
  })
  await window.pay('4000000000000002')
  await window.frame.getByRole('alert').getByText('declined').waitFor()
  const html = await window.frame.locator('html').evaluate((root) => root.outerHTML)
  const timings = await window.frame
    .locator('html')
    .evaluate(() => performance.getEntries().map(({ name }) => name))
  for (const text of [html, ...urls, ...timings]) {
    expect(text).not.toContain(pair.clientSecret)
    expect(text).not.toContain('4000000000000002')
    expect(text).not.toMatch(/eyJ[\w-]+\./)
  }
  await window.close()
})
