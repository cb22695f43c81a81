import type { Page } from '@playwright/test'
import { actInFrame, expect, type Order, serveOrders, test } from '../fixtures/element-sites.ts'
import { bundleComponent } from '../fixtures/example-pages.ts'

const inline = `
  import { getStatus, postHandoff } from '@pi-checkout/element/client'
  import { PiCheckout } from '@pi-checkout/element/react'
  export const Checkout = ({ orderId, showPhase }) => (
    <PiCheckout
      orderId={orderId ?? ''}
      fetchHandoff={({ signal }) => postHandoff('/checkout/handoff', { orderId, signal })}
      fetchStatus={({ signal }) => getStatus('/checkout/status', { orderId, signal })}
      onPhase={({ phase }) => showPhase(phase)}
    />
  )`

/** What the page shows: the frame's intent, and the text of a result. */
async function shown(page: Page): Promise<unknown[]> {
  const source = await page.locator('iframe').getAttribute('src')
  const result = await page.locator('[part=result]').textContent()
  return [source?.split('/').at(-1), result?.trim()]
}

for (const [name, framework, component] of [
  ['React', 'react'],
  ['React with functions of each render', 'react', inline],
  ['Vue', 'vue'],
  ['Svelte', 'svelte'],
] as const) {
  test(`${name}: a kept component pays the order of each render`, async ({ page, sites }) => {
    const orders: Record<string, Order> = { A: { phase: 'open' }, B: { phase: 'open' } }
    const requests = await serveOrders(page, sites, orders)
    const script = await bundleComponent(framework, sites.checkout.origin, component)
    await sites.openShop({ body: '<div id="app"></div>', script })
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
    await actInFrame(page, 'finish')
    await expect(page.getByText('Payment received')).toBeVisible()
    await expect(page).toHaveTitle('paid')

    await page.evaluate("show('A')")
    await isIn('ready')
    expect(await shown(page)).toEqual(['pi_A', ''])
    expect(requests).toEqual(['handoff A', 'handoff B', 'status B', 'handoff A'])
  })
}
