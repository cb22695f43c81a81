import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventsOf, expectEvent, mountImmediately, prepareTestSites } from './browser/test-sites.ts'

const sites = prepareTestSites()
const read = (path: string): string =>
  readFileSync(new URL(`../node_modules/${path}`, import.meta.url), 'utf8')

/** Each morphs the body to the HTML that the server sent, as Turbo 8, htmx and LiveView do. */
const morphs = [
  ['idiomorph', read('idiomorph/dist/idiomorph.js'), `Idiomorph.morph(document.body, html)`],
  [
    'morphdom',
    read('morphdom/dist/morphdom-umd.js'),
    `morphdom(document.body, '<body>' + html + '</body>')`,
  ],
] as const

const ways = [
  ['properties', mountImmediately],
  [
    'properties over an attribute',
    `pay.setAttribute('intent-id', 'pi_1'); ${mountImmediately}; pay.intentId = 'pi_1'`,
  ],
] as const

const cases = morphs.flatMap(([library, source, morph]) =>
  ways.map(([way, script]) => ({ library, source, morph, way, script })),
)

test.each(cases)('a morph by $library keeps the frame of a pair set by $way', async (morph) => {
  const page = await sites.openShop({
    // What the server sent: the page before its script ran.
    script: `window.html = document.body.innerHTML; ${morph.script}`,
    hosted: { steps: ['ready', 'busy'] },
  })
  await expectEvent(page, 'pi-statechange busy')
  await page.frameLocator('iframe').getByLabel('Card number').fill('4242')
  const before = await eventsOf(page)
  await page.evaluate(`${morph.source}; ${morph.morph}`)
  await page.waitForTimeout(100)
  expect(await page.frameLocator('iframe').getByLabel('Card number').inputValue()).toBe('4242')
  expect(await eventsOf(page)).toEqual(before)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})

test('an attribute that is taken away ends the pair that it gave, and no other', async () => {
  const page = await sites.openShop({
    body: '<pi-checkout id="pay" intent-id="pi_1" client-secret="pi_1_secret_x"></pi-checkout>',
    script: `import { configureCheckout } from '/shop.js'; configureCheckout({ origin: PAY })`,
  })
  await expectEvent(page, 'pi-ready')
  await page.evaluate(() => document.getElementById('pay')?.removeAttribute('intent-id'))
  await expectEvent(page, 'pi-statechange idle')
})
