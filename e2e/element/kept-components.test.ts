import type { Page } from '@playwright/test'
import { clickInFrame, expect, type Sites, test } from '../fixtures/element-sites.ts'
import { bundleExample } from '../fixtures/example-pages.ts'
import { type Order, serveOrders } from '../fixtures/order-routes.ts'

/** Pages of the examples' components that stay while `show()` changes the order. */
const pages = {
  React: [
    'react/kept.jsx',
    `import { createRoot } from 'react-dom/client'
     import { Checkout } from './checkout.jsx'
     const root = createRoot(document.querySelector('#app'))
     window.show = (orderId) => root.render(<Checkout orderId={orderId} />)`,
  ],
  'React with functions of each render': [
    'react/inline.jsx',
    `import { postHandoff, getStatus } from '@pi-checkout/element/client'
     import { PiCheckout } from '@pi-checkout/element/react'
     import { createRoot } from 'react-dom/client'
     const root = createRoot(document.querySelector('#app'))
     window.show = (orderId) => root.render(
       <PiCheckout
         orderId={orderId}
         fetchHandoff={({ signal }) => postHandoff('/checkout/handoff', { orderId, signal })}
         fetchStatus={({ signal }) => getStatus('/checkout/status', { orderId, signal })}
         onPhase={({ phase }) => { document.title = phase }}
       />)`,
  ],
  Vue: [
    'vue/kept.js',
    `import { createApp, h, shallowRef } from 'vue'
     import Checkout from './checkout.vue'
     const order = shallowRef('')
     window.show = (orderId) => { order.value = orderId }
     createApp({ render: () => h(Checkout, { orderId: order.value }) }).mount('#app')`,
  ],
  Svelte: [
    'svelte/kept.js',
    `import { mount } from 'svelte'
     import { fromStore, writable } from 'svelte/store'
     import Checkout from './checkout.svelte'
     const order = writable('')
     const state = fromStore(order)
     window.show = (orderId) => order.set(orderId)
     const props = { get orderId() { return state.current } }
     mount(Checkout, { target: document.querySelector('#app'), props })`,
  ],
} as const

async function open(sites: Sites, name: keyof typeof pages): Promise<void> {
  const [entry, code] = pages[name]
  const start = `import { configureCheckout } from '@pi-checkout/element'
    configureCheckout({ checkoutOrigin: '${sites.checkout}' })
    ${code}`
  const script = await bundleExample(entry, sites.checkout, start)
  await sites.openShop({ body: '<div id="app"></div>', script })
}

/** What the page shows: the frame's intent, and the text of a result. */
async function shown(page: Page): Promise<unknown[]> {
  const source = await page.locator('iframe').getAttribute('src')
  const result = await page.locator('[part=result]').textContent()
  return [source?.split('/').at(-1), result?.trim()]
}

for (const name of Object.keys(pages) as (keyof typeof pages)[]) {
  test(`${name}: a kept component shows the order of each render, and its payment`, async ({
    page,
    sites,
  }) => {
    const orders: Record<string, Order> = { A: { phase: 'open' }, B: { phase: 'open' } }
    const requests = await serveOrders(page, sites, orders)
    await open(sites, name)
    const isIn = (state: string) =>
      expect(page.locator(`pi-checkout:state(${state})`)).toHaveCount(1)
    await page.evaluate("show('A')")
    await isIn('ready')
    expect(await shown(page)).toEqual(['pi_A', ''])
    await page.frameLocator('iframe').getByLabel('Card number').fill('4242')

    await page.evaluate("show('A')")
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    expect(requests).toEqual(['handoff A'])
    await expect(page.frameLocator('iframe').getByLabel('Card number')).toHaveValue('4242')

    await page.evaluate("show('B')")
    await expect(page.locator('iframe[src$=pi_B]')).toHaveCount(1)
    await isIn('ready')
    orders.B = { phase: 'paid' }
    await clickInFrame(page, 'finish')
    await expect(page.getByText('Thank you.')).toBeVisible()
    await expect(page).toHaveTitle('paid')

    await page.evaluate("show('A')")
    await isIn('ready')
    expect(await shown(page)).toEqual(['pi_A', ''])
    expect(requests).toEqual(['handoff A', 'handoff B', 'status B', 'handoff A'])
  })
}
