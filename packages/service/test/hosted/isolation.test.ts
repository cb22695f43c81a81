import { startSite } from '@pi-checkout/test-support/sites'
import { expect, onTestFinished, test } from 'vitest'
import { expectResult, openShop, startBrowserStack } from './browser.ts'
import { startShop } from './shop-page.ts'

const stack = await startBrowserStack()

/** Console errors about an iframe that the browser blocks. */
const blockedFrame = [/frame-ancestors/, /ERR_BLOCKED_BY_RESPONSE/, /Failed to load resource/]

test('reports an unregistered origin and shows neither form nor data', async () => {
  const attacker = await startShop(stack.checkout, 'attacker.localhost')
  const fix = `pi-checkout: origin_not_allowed. The page around this frame is not registered. Run: npx pi-service origins add ${attacker.origin}`
  const printed: string[] = []
  const window = await openShop(
    { ...stack, shop: attacker },
    {
      ready: false,
      expected: [/^pi-checkout: origin_not_allowed/],
      prepare: async (page) => void page.on('console', (line) => printed.push(line.text())),
    },
  )
  await expect.poll(window.messages).toEqual(['hello', 'fail origin_not_allowed'])
  expect(await window.frame.locator('.error').textContent()).toBe(fix)
  await expect.poll(() => printed).toContain(fix)
  expect(await window.frame.locator('input').count()).toBe(0)
  expect(await window.frame.locator('body').textContent()).not.toContain('Ararat')
})

test('names no code and no fix in a live environment', async () => {
  const attacker = await startShop(stack.checkout, 'attacker.localhost')
  const pair = await stack.checkout.createIntent({ environmentId: 'env_live' })
  const window = await openShop({ ...stack, shop: attacker }, { pair, ready: false })
  await expect.poll(window.messages).toEqual(['hello', 'fail origin_not_allowed'])
  expect((await window.frame.locator('body').textContent())?.trim()).toBe(
    'This checkout cannot be shown here.',
  )
})

test('shows no page in a registered shop framed by an attacker site', async () => {
  const window = await openShop(stack, { ready: false, expected: blockedFrame })
  const { page } = window
  // A real site: pages that Playwright fulfills cannot reach loopback from an iframe.
  const attacker = await startSite()
  onTestFinished(async () => await attacker.close())
  const frame = `<!doctype html><iframe src="${page.url().replaceAll('&', '&amp;')}"></iframe>`
  attacker.serve((_, response) => response.setHeader('content-type', 'text/html').end(frame))
  const blocked = page.waitForEvent('console', (line) => /frame-ancestors/.test(line.text()))
  await page.goto(`http://attacker.localhost:${attacker.port}/`)
  await blocked
  const [shop] = page.frames().filter((frame) => frame.url().startsWith(stack.shop.origin))
  expect(await shop?.evaluate('messages')).toEqual([])
  const inner = page.frames().find((frame) => frame.url().includes('/checkout/'))
  expect(inner).toBeUndefined()
})

test('shows no form for an unknown id', async () => {
  const { clientSecret } = await stack.checkout.createIntent()
  const pair = { id: 'pi_000000000000000000000000', clientSecret }
  const window = await openShop(stack, { pair, ready: false, expected: blockedFrame })
  await expect.poll(window.messages).toEqual(['hello', 'fail unauthorized'])
  expect(await window.frame.locator('input').count()).toBe(0)
})

test('pays with Enter while Pay is below the fold', async () => {
  const window = await openShop(stack, {
    context: { viewport: { width: 390, height: 300 } },
  })
  await window.fill('4242424242424242')
  await window.frame.getByLabel('Card number').scrollIntoViewIfNeeded()
  await window.frame.getByLabel('Card number').press('Enter')
  await expectResult(window, 'paid')
})

test('reports no height while the shop gives it no width', async () => {
  const { page } = await openShop(stack)
  const iframe = page.locator('iframe')
  await iframe.evaluate((frame) => {
    frame.style.width = '0'
  })
  const inside = page.frames().find((frame) => frame.url().includes('/checkout/'))
  await expect.poll(() => inside?.evaluate('innerWidth')).toBe(0)
  // The observer of the size has run two frames later.
  await inside?.evaluate('new Promise((end) => requestAnimationFrame(() => setTimeout(end, 100)))')
  expect((await iframe.boundingBox())?.height).toBeLessThan(1000)
})

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
  const dialogs: string[] = []
  const window = await openShop(stack, {
    pair,
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
    expect(await frame.locator('img, b, iframe, script:not([src]), body style').count()).toBe(0)
    expect(await frame.getByTestId('amount').isVisible()).toBe(true)
  }
  expect(dialogs).toEqual([])
})

const plain = `[...document.querySelectorAll('bdi')].map(
  (node) => node.children.length === 0 && getComputedStyle(node).unicodeBidi === 'isolate',
)`
