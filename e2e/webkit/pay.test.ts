import { test as base } from '../fixtures/world.ts'
import { WebkitPage, webkitPrograms } from './driver.ts'

/** `test` with a checkout that is open in WebKit. Its console cannot be heard through WebDriver. */
const test = base.extend<{ checkout: WebkitPage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
  noise: async ({}, use) => use({ allow: () => {}, heard: () => [] }),
  checkout: async ({ world }, use) => {
    const programs = webkitPrograms()
    if (!programs) throw new Error('WebKitGTK is not installed')
    const page = await WebkitPage.open(programs)
    await page.goto(world.shopUrl)
    await page.click('[data-testid=add-to-cart]')
    await page.waitFor(
      `return document.querySelector('[data-testid=cart-count]')?.innerText === '1'`,
    )
    await page.goto(`${world.shopUrl}/cart`)
    await page.click('[data-testid=place-order]')
    await page.enterFrame(
      `return document.querySelector('pi-checkout')?.shadowRoot?.querySelector('iframe')`,
    )
    await use(page)
    await page.close()
  },
})

test('a buyer with WebKit pays by card, and the shop says paid', async ({ checkout }) => {
  await pay(checkout, '4242424242424242')
  await expectPaid(checkout)
})

test('a buyer with WebKit is declined, and pays the same order with another card', async ({
  checkout,
}) => {
  await pay(checkout, '4000000000000002')
  await checkout.waitFor(`return document.querySelector('[role=alert]')?.innerText`)
  await pay(checkout, '4242424242424242')
  await expectPaid(checkout)
})

test("a buyer with WebKit passes the bank's challenge inside the frame", async ({ checkout }) => {
  await pay(checkout, '4000000000003220')
  await checkout.enterFrame(`return document.querySelector('iframe')`)
  await checkout.type('input:not([type=hidden])', '1234')
  await checkout.click('[value=confirm]')
  await expectPaid(checkout)
})

test('a buyer with WebKit goes to a bank that refuses framing, and comes back to a paid order', async ({
  checkout,
}) => {
  await pay(checkout, '4000002760003184')
  await checkout.leaveFrames()
  await checkout.waitFor(
    `return location.pathname === '/bank' && document.readyState === 'complete'`,
  )
  await checkout.type('input:not([type=hidden])', '1234')
  await checkout.click('[value=confirm]')
  await expectPaid(checkout)
})

async function pay(checkout: WebkitPage, number: string): Promise<void> {
  await checkout.type('[autocomplete=cc-number]', number)
  await checkout.type('[autocomplete=cc-exp]', '1234')
  await checkout.type('[autocomplete=cc-csc]', '123')
  await checkout.type('[autocomplete=cc-name]', 'Ani Petrosyan')
  await checkout.waitFor(
    `return document.querySelector('button[type=submit]')?.ariaDisabled === 'false'`,
  )
  await checkout.click('button[type=submit]')
}

async function expectPaid(checkout: WebkitPage): Promise<void> {
  await checkout.leaveFrames()
  await checkout.waitFor(
    `return document.querySelector('[data-testid=order-state]')?.dataset.state === 'paid'`,
  )
}
