import type { FrameLocator, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { expectResult, openWindow, startWorld, type World } from './browser.ts'
import { startShop } from './shop-page.ts'

// A browser has no deadline on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => await world.close())

/** Errors that a browser prints about a frame that it refuses to show. */
const refusedFrame = [/frame-ancestors/, /ERR_BLOCKED_BY_RESPONSE/, /Failed to load resource/]

test('a shop whose origin is not registered is told so, and sees neither form nor data', async () => {
  const stranger = await startShop(world.checkout, 'evil.localhost')
  const pair = await world.checkout.createIntent()
  const window = await openWindow({ ...world, shop: stranger }, pair, { ready: false })
  await expect.poll(window.said).toEqual(['hello', 'fail origin_not_allowed'])
  expect(await window.frame.locator('input').count()).toBe(0)
  expect(await window.frame.locator('body').textContent()).not.toContain('Ararat')
  await window.close()
  await stranger.close()
})

test('a stranger that hides where it comes from gets no page at all', async () => {
  const stranger = await startShop(world.checkout, 'evil.localhost')
  const pair = await world.checkout.createIntent()
  const window = await openWindow({ ...world, shop: stranger }, pair, {
    ready: false,
    expected: refusedFrame,
    prepare: async (page) => {
      await page.addInitScript(`
        Object.defineProperty(HTMLIFrameElement.prototype, 'referrerPolicy', {
          set() { this.setAttribute('referrerpolicy', 'no-referrer') },
        })`)
    },
  })
  await window.page.waitForTimeout(1000)
  expect(await window.said()).toEqual([])
  await window.close()
  await stranger.close()
})

test('a registered shop in the frame of a stranger gets no page', async () => {
  const pair = await world.checkout.createIntent()
  const window = await openWindow(world, pair, { ready: false, expected: refusedFrame })
  const { page } = window
  const address = page.url()
  await page.route('http://evil.localhost/', async (route) => {
    const body = `<!doctype html><iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`
    await route.fulfill({ contentType: 'text/html', body })
  })
  await page.goto('http://evil.localhost/')
  await page.waitForTimeout(1500)
  const inner = page.frames().find((frame) => frame.url().includes('/checkout/'))
  expect(inner).toBeUndefined()
  await window.close()
})

test('wrong, foreign and mixed-up pairs are refused alike', async () => {
  const one = await world.checkout.createIntent()
  const two = await world.checkout.createIntent()
  for (const [pair, query] of [
    [{ ...one, clientSecret: two.clientSecret }, {}],
    [{ id: 'pi_000000000000000000000000', clientSecret: one.clientSecret }, {}],
    [one, { at: two.id }],
  ] as const) {
    const window = await openWindow(world, pair, { ready: false, query, expected: refusedFrame })
    await expect.poll(window.said).toContain('fail unauthorized')
    expect(await window.said()).not.toContain('ready')
    expect(await window.frame.locator('input').count()).toBe(0)
    await window.close()
  }
})

test('messages of anybody but the page around the frame change nothing', async () => {
  const window = await openWindow(world, await world.checkout.createIntent())
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
  expect((await window.said()).filter((word) => word === 'ready')).toHaveLength(1)
  await window.close()
})

test('a page that covers Pay cannot have it pressed, and the buyer reads why', async () => {
  const pair = await world.checkout.createIntent()
  for (const style of ['opacity: 0.01', 'filter: blur(3px)', 'transform: scale(0.4)']) {
    const window = await openWindow(world, pair)
    await window.page.locator('iframe').evaluate((frame, text) => {
      frame.setAttribute('style', `${frame.getAttribute('style')};${text}`)
    }, style)
    await expectUnarmed(window.frame)
    await window.frame.getByLabel('Name on card').press('Enter')
    await window.frame
      .getByRole('alert')
      .getByText('Something on the page covers this form')
      .waitFor()
    await window.close()
  }
  const covered = await openWindow(world, pair)
  await covered.page.evaluate(`{
    const cover = document.createElement('div')
    cover.style.cssText = 'position: fixed; inset: 0; pointer-events: none; background: #fff8'
    document.body.append(cover)
  }`)
  await expectUnarmed(covered.frame)
  expect((await covered.said()).at(-1)).not.toBe('busy true')
  await covered.close()
  const status = await world.checkout.db.query`
    select from payment_intents where id = ${pair.id} and status = 'requires_payment_method'`
  expect(status).toHaveLength(1)
})

async function expectUnarmed(frame: FrameLocator): Promise<void> {
  for (const [label, text] of [
    ['Card number', '4242424242424242'],
    ['Expiry date', '12 / 40'],
    ['Security code', '123'],
  ] as const) {
    await frame.getByLabel(label).fill(text)
  }
  const pay = frame.getByRole('button', { name: /^Pay / })
  await expect.poll(() => pay.getAttribute('aria-disabled')).toBe('true')
}

test('Enter in a field pays although Pay is below the fold: the page scrolls there first', async () => {
  const window = await openWindow(world, await world.checkout.createIntent(), {
    context: { viewport: { width: 390, height: 300 } },
  })
  await window.fill('4242424242424242')
  await window.frame.getByLabel('Card number').scrollIntoViewIfNeeded()
  await window.frame.getByLabel('Card number').press('Enter')
  await expectResult(window, 'paid')
  await window.close()
})

test('rounded corners and a border of the shop leave Pay armed', async () => {
  const window = await openWindow(world, await world.checkout.createIntent())
  await window.page.locator('iframe').evaluate((frame) => {
    frame.setAttribute(
      'style',
      `${frame.getAttribute('style')};border: 1px solid;border-radius: 16px`,
    )
  })
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  await window.close()
})

test('a hostile bank page moves no window, opens none and settles nothing', async () => {
  const pair = await world.checkout.createIntent()
  const window = await openWindow(world, pair, {
    // The browser says no, loudly.
    expected: [/./],
    prepare: async (page) => await hostileBank(page, world.checkout.challengeUrl),
  })
  await window.pay('4000000000003220')
  await window.bank.getByText('tried everything').waitFor()
  await window.page.waitForTimeout(1000)
  expect(new URL(window.page.url()).origin).toBe(world.shop.origin)
  expect(window.page.context().pages()).toHaveLength(1)
  expect(await window.said()).not.toContain('finish')
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

test('names and orders with markup or reversed text are shown as they are, as text', async () => {
  const orderId = '<b onclick=x>&"\'`'
  const pair = await world.checkout.createIntent({ environmentId: 'env_other', orderId })
  await world.checkout.registerOrigin(world.shop.origin, 'env_other')
  const name = '<img src=x onerror=alert(1)>\u202Eevil'
  await world.checkout.db.query`update merchants set name = ${name} where id = 'mer_books'`
  const window = await openWindow(world, pair)
  const { frame } = window
  expect(await frame.getByTestId('order').textContent()).toBe(`Order ${orderId}`)
  expect(await frame.locator('.merchant bdi').textContent()).toBe(name)
  expect(await frame.locator('img, b').count()).toBe(0)
  await window.close()
})

test('the page keeps nothing in the browser: no cookie, no storage, no entry in the history', async () => {
  const window = await openWindow(world, await world.checkout.createIntent())
  const { page, frame } = window
  const entries = await page.evaluate('history.length')
  await window.pay('4000000000003220')
  await window.bank.getByLabel('Code').fill('1234')
  await window.bank.getByRole('button', { name: 'Confirm' }).click()
  await expectResult(window, 'paid')
  expect(await page.context().cookies()).toEqual([])
  const kept = await frame.locator('body').evaluate(`(async () => {
    const sizes = [
      () => localStorage.length,
      () => sessionStorage.length,
      async () => (await indexedDB.databases()).length,
      async () => (await caches.keys()).length,
    ]
    // Where a browser gives a third party no storage at all, the page has just lived without it.
    return await Promise.all(sizes.map(async (size) => { try { return await size() } catch { return 0 } }))
  })()`)
  expect(kept).toEqual([0, 0, 0, 0])
  expect(await page.evaluate('history.length')).toBe(entries)
  await window.close()
})

test('the secret and the card are in no address, no attribute and no text of the page', async () => {
  const pair = await world.checkout.createIntent()
  const urls: string[] = []
  const window = await openWindow(world, pair, {
    prepare: async (page) => {
      page.on('request', (request) => {
        if (!request.url().startsWith(world.shop.origin)) urls.push(request.url())
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
