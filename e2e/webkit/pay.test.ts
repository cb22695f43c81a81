import { test as base, enterCheckout, pay } from './buyer.ts'
import type { WebkitPage } from './driver.ts'

/** `test` with a checkout of the shop that is open in WebKit. */
const test = base.extend<{ checkout: WebkitPage }>({
  checkout: async ({ stack, webkit }, use) => {
    await webkit.goto(stack.shopUrl)
    await webkit.click('[data-testid=add-to-cart]')
    await webkit.waitFor(
      `return document.querySelector('[data-testid=cart-count]')?.innerText === '1'`,
    )
    await webkit.goto(`${stack.shopUrl}/cart`)
    await webkit.click('[data-testid=place-order]')
    await enterCheckout(webkit)
    await use(webkit)
  },
})

test("a buyer with WebKit pays by card, in the shop's colors", async ({ checkout }) => {
  await checkout.waitFor(`
    const [page, pay] = ['html', '.pay'].map((part) => getComputedStyle(document.querySelector(part)))
    return page.getPropertyValue('--good') === '#0b6b41' && pay.backgroundColor === 'rgb(173, 67, 24)'`)
  await pay(checkout, '4242424242424242')
  await expectPaid(checkout)
})

test('a declined buyer with WebKit pays the same order with another card', async ({ checkout }) => {
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

test('a buyer with WebKit returns from a separate page of the bank to a paid order', async ({
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

async function expectPaid(checkout: WebkitPage): Promise<void> {
  await checkout.leaveFrames()
  await checkout.waitFor(
    `return document.querySelector('[data-testid=order-state]')?.dataset.state === 'paid'`,
  )
}
