import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { eventsOf, expect, readyEvents, test, waitForEvent } from '../fixtures/element-sites.ts'
import { Checkout } from './shops/react.ts'

for (const [renders, html] of [
  ['renders', ''],
  ['hydrates', renderToString(createElement(Checkout))],
] as const) {
  test(`a page that React ${renders} mounts one frame, and shows the phase after pi-finish`, async ({
    page,
    sites,
  }) => {
    let handoffs = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/checkout/handoff')) handoffs++
    })
    await sites.openShop({
      body: `<div id="root">${html}</div>`,
      script: `import { start } from '/react.js'; start(document.getElementById('root'), PAY)`,
    })
    await waitForEvent(page, 'pi-ready')
    expect(await eventsOf(page)).toEqual(readyEvents)
    await expect(page.locator('iframe')).toHaveCount(1)
    await expect(page.locator('#pay')).toHaveClass('checkout')
    expect(sites.requests).toEqual(['/checkout/pi_1'])
    expect(handoffs).toBe(1)
    expect(await page.content()).not.toContain('pi_1_secret_x')
    await page.frameLocator('iframe').getByTestId('finish').click()
    await expect(page.locator('output')).toHaveText('paid')
  })
}
