import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installedChromium } from '@pi-checkout/test-support/browsers'
import { startSite } from '@pi-checkout/test-support/sites'
import { type Browser, chromium, type Page } from '@playwright/test'
import { expect, onTestFinished, test } from 'vitest'
import { expectResult, openShop, useBrowserStack } from './browser.ts'
import { startShop } from './shop-page.ts'

const stack = useBrowserStack()

/** Console errors about an iframe that the browser blocks. */
const blockedFrame = [/frame-ancestors/, /ERR_BLOCKED_BY_RESPONSE/, /Failed to load resource/]

/** Resolves when the browser reports a blocked iframe. */
async function blocked(page: Page): Promise<unknown> {
  return await page.waitForEvent('console', (line) => /frame-ancestors/.test(line.text()))
}

test('reports an unregistered origin and shows neither form nor data', async () => {
  const attacker = await startShop(stack.checkout, 'attacker.localhost')
  const pair = await stack.checkout.createIntent()
  const window = await openShop({ ...stack, shop: attacker }, pair, { ready: false })
  await expect.poll(window.messages).toEqual(['hello', 'fail origin_not_allowed'])
  expect(await window.frame.locator('input').count()).toBe(0)
  expect(await window.frame.locator('body').textContent()).not.toContain('Ararat')
  await window.close()
  await attacker.close()
})

test('shows no page to an attacker site that hides its referrer', async () => {
  const attacker = await startShop(stack.checkout, 'attacker.localhost')
  const pair = await stack.checkout.createIntent()
  let isBlocked: Promise<unknown> | undefined
  const window = await openShop({ ...stack, shop: attacker }, pair, {
    ready: false,
    expected: blockedFrame,
    prepare: async (page) => {
      isBlocked = blocked(page)
      await page.addInitScript(`
        Object.defineProperty(HTMLIFrameElement.prototype, 'referrerPolicy', {
          set() { this.setAttribute('referrerpolicy', 'no-referrer') },
        })`)
    },
  })
  await isBlocked
  expect(await window.messages()).toEqual([])
  await window.close()
  await attacker.close()
})

test('shows no page in a registered shop framed by an attacker site', async () => {
  const pair = await stack.checkout.createIntent()
  const window = await openShop(stack, pair, { ready: false, expected: blockedFrame })
  const { page } = window
  // Listens itself: of a page that a route made up, no frame may reach this machine.
  const attacker = await startSite()
  const frame = `<!doctype html><iframe src="${page.url().replaceAll('&', '&amp;')}"></iframe>`
  attacker.serve((_, response) => response.setHeader('content-type', 'text/html').end(frame))
  const isBlocked = blocked(page)
  await page.goto(`http://attacker.localhost:${attacker.port}/`)
  await isBlocked
  const [shop] = page.frames().filter((frame) => frame.url().startsWith(stack.shop.origin))
  expect(await shop?.evaluate('messages')).toEqual([])
  const inner = page.frames().find((frame) => frame.url().includes('/checkout/'))
  expect(inner).toBeUndefined()
  await window.close()
  await attacker.close()
})

test('rejects wrong and mismatched credentials with the same error', async () => {
  const one = await stack.checkout.createIntent()
  const two = await stack.checkout.createIntent()
  for (const [pair, query] of [
    [{ ...one, clientSecret: two.clientSecret }, {}],
    [{ id: 'pi_000000000000000000000000', clientSecret: one.clientSecret }, {}],
    [one, { at: two.id }],
  ] as const) {
    const window = await openShop(stack, pair, { ready: false, query, expected: blockedFrame })
    await expect.poll(window.messages).toContain('fail unauthorized')
    expect(await window.messages()).not.toContain('ready')
    expect(await window.frame.locator('input').count()).toBe(0)
    await window.close()
  }
})

test('ignores messages from windows other than its parent', async () => {
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
          { t: 'auth', id: 'x', secret: 'y' }, { t: 'left', page: 'https://attacker.example' }, null, at,
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

test('pays with Enter while Pay is below the fold', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent(), {
    context: { viewport: { width: 390, height: 300 } },
  })
  await window.fill('4242424242424242')
  await window.frame.getByLabel('Card number').scrollIntoViewIfNeeded()
  await window.frame.getByLabel('Card number').press('Enter')
  await expectResult(window, 'paid')
  await window.close()
})

test('contains a hostile bank page: no navigation, no window, no result', async () => {
  const pair = await stack.checkout.createIntent()
  const lines: string[] = []
  const window = await openShop(stack, pair, {
    // The browser reports each blocked attempt.
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
      () => { top.location = 'http://attacker.localhost/' },
      () => { parent.location = 'http://attacker.localhost/' },
      () => { window.open('http://attacker.localhost/') },
      () => { for (let at = 0; at < 2000; at++) parent.postMessage({ pi: 'challenge', t: 'done', at }, '*') },
      () => { top.postMessage({ t: 'finish' }, '*'); parent.postMessage({ t: 'left', page: 'http://attacker.localhost/' }, '*') },
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
  // The store rejects such an order id; a merchant's name could contain them.
  '\u202Elive\u202C \u2067evil',
  '\u2028alert(1)\u0007',
]

test('renders hostile merchant names and order ids as isolated text (threat 65)', async () => {
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
  ['separate for each shop', { persistent: true, off: 'Translate' }],
  ['shared with its own site', { persistent: true, off: 'ThirdPartyStoragePartitioning' }],
  // A private window.
  ['denied', { persistent: false, off: '' }],
] as const

test.each(storages)(
  'stores nothing where storage is %s: no cookie, entry, or history step (threat 67)',
  async (storage, { persistent, off }) => {
    const browser = persistent ? keepingBrowser(off) : stack.browser
    const window = await openShop({ ...stack, browser }, await stack.checkout.createIntent(), {
      expected: [/status of 404/],
      prepare: async (page) => {
        // A top-level visit leaves a mark, which shows whether the iframe shares that storage.
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
      storage === 'denied'
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

/** Runs in the page: returns the keys of each storage, or the name of the error. */
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

test('keeps secret and card out of addresses, attributes, and texts', async () => {
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
