import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventsOf, expect, mountDirectly, test, waitForEvent } from '../fixtures/element-sites.ts'

for (const [library, call] of [
  ['idiomorph', 'Idiomorph.morph(document.body, html)'],
  ['morphdom', "morphdom(document.body, '<body>' + html + '</body>')"],
] as const) {
  test(`a page that ${library} morphs keeps the frame`, async ({ page, sites }) => {
    const file = { idiomorph: 'idiomorph', morphdom: 'morphdom-umd' }[library]
    const source = readFileSync(
      fileURLToPath(import.meta.resolve(`${library}/dist/${file}.js`)),
      'utf8',
    )
    await sites.openShop({
      // The HTML of the server: the page before its script ran. Turbo 8, htmx, and LiveView morph to it.
      script: `window.html = document.body.innerHTML; ${mountDirectly}`,
      hosted: { steps: ['ready', 'busy'] },
    })
    await waitForEvent(page, 'pi-statechange busy')
    const number = page.frameLocator('iframe').getByLabel('Card number')
    await number.fill('4242')
    const before = await eventsOf(page)
    // Observers of the document have run after a turn.
    await page.evaluate(`${source}; ${call}; new Promise((resolve) => setTimeout(resolve))`)
    await expect(number).toHaveValue('4242')
    expect(await eventsOf(page)).toEqual(before)
    expect(sites.requests).toEqual(['/checkout/pi_1'])
  })
}
