import { expect, test } from 'vitest'
import {
  configure,
  eventsOf,
  readyEvents,
  startSites,
  textInFrame,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites()
const setBoth = "Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })"

const importFile = "await import(PAY + '/v1/pi-checkout.js')"
const handoff = "{ id: 'pi_1', clientSecret: 'pi_1_secret_x', replayed: true }"

test.each([
  ['an id after its secret', "pay.clientSecret = 'pi_1_secret_x'; pay.intentId = 'pi_1'"],
  ['id and secret before the definition', setBoth],
  ['handoff', `pay.handoff = ${handoff}`],
  ['fetchHandoff', `pay.fetchHandoff = async () => (${handoff})`],
  ['fetchHandoff before the definition', `pay.fetchHandoff = async () => (${handoff})`],
])('mounts the hosted page from %s', async (name, script) => {
  const isBefore = name.includes('before')
  const page = await sites.openShop({
    body: `<pi-checkout id="pay"></pi-checkout>${isBefore ? `<script>${script}</script>` : ''}`,
    script: isBefore ? configure : `${configure}; ${script}`,
  })
  await waitForEvent(page, 'pi-ready')
  expect(await eventsOf(page)).toEqual(readyEvents)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
  expect(await textInFrame(page, 'secret')).toBe('yes')
  expect(await page.evaluate('[pay.handoff, pay.intentId]')).toEqual([null, 'pi_1'])
  expect(await page.evaluate('Object.keys(pay)')).not.toContain('clientSecret')
  if (!isBefore) expect(await page.content()).not.toContain('pi_1_secret_x')
})

test('mounts nothing without a secret, and keeps the children visible', async () => {
  const page = await sites.openShop({ script: `${configure}; pay.intentId = 'pi_1'` })
  await page.waitForFunction(() => customElements.get('pi-checkout'))
  expect(await page.getByText('Waiting').isVisible()).toBe(true)
  expect(await page.locator('#pay:state(idle)').count()).toBe(1)
  expect(await page.locator('#pay').getAttribute('intent-id')).toBeNull()
  expect(sites.requests).toEqual([])
  expect(await eventsOf(page)).toEqual([])
})

test('the self-contained file mounts from the host that serves it, without configuration', async () => {
  const page = await sites.openShop({
    script: `${importFile}; ${setBoth}`,
  })
  await waitForEvent(page, 'pi-ready')
  expect(sites.requests).toEqual(['/v1/pi-checkout.js', '/checkout/pi_1'])
})

test("a copy of that file on the shop's own origin reports not_configured", async () => {
  const page = await sites.openShop({ script: `await import('/v1/pi-checkout.js'); ${setBoth}` })
  await waitForEvent(page, 'pi-error not_configured')
  expect(await page.locator('iframe').count()).toBe(0)
  expect(await page.getByRole('alert').textContent()).toContain(
    'The payment form is not available right now.',
  )
  expect(await page.getByRole('button').count()).toBe(0)
})

test('attributes and meta tags never set the host (threat 50)', async () => {
  const { attacker } = sites
  const page = await sites.openShop({
    body: `<meta name="pi-checkout-origin" content="${attacker}">
      <pi-checkout id="pay" origin="${attacker}" src="${attacker}" host="${attacker}"></pi-checkout>`,
  })
  await waitForEvent(page, 'pi-ready')
  const src = await page.locator('iframe').getAttribute('src')
  expect(src).toBe(`${sites.checkout}/checkout/pi_1`)
})

test('sends no port or secret to a frame that was redirected to another origin (threat 47)', async () => {
  const hello =
    "parent.postMessage({ pi: 'checkout', t: 'hello', v: [1], doc: 'A'.repeat(32) }, '*')"
  const hosted = (script: string) => ({
    body: `<!doctype html><title>Hosted</title><script>${script}</script>`,
  })
  sites.respondAsAttacker = () =>
    hosted(`${hello}
      addEventListener('message', ({ ports }) => { document.title = 'received ' + ports.length })`)
  const page = await sites.openShop({
    hosted: () => hosted(`${hello}; location.href = ${JSON.stringify(sites.attacker)}`),
  })
  const frame = page.frames()[1]
  await page.waitForFunction("pay.shadowRoot?.querySelector('iframe')")
  await expect.poll(() => frame?.url(), { timeout: 5000 }).toBe(`${sites.attacker}/`)
  await page.waitForTimeout(500)
  expect(await frame?.title()).toBe('Hosted')
  expect(await eventsOf(page)).toEqual(['pi-statechange loading'])
})

test.each([
  [
    'a bundled copy without an origin',
    `import '/react.js'; pay.handoff = ${handoff}; ${importFile}`,
  ],
  ['a bundled copy with the same origin', `${configure}; pay.handoff = ${handoff}; ${importFile}`],
])('%s and the script of the checkout work together', async (_, content) => {
  // The first mount may come before the script.
  const page = await sites.openShop({ script: `${content}; pay.reload()` })
  await waitForEvent(page, 'pi-ready')
  await waitForState(page, 'ready')
})

test('the appearance that another bundled copy configures reaches the page', async () => {
  const page = await sites.openShop({
    script: `
      import '/react.js'
      import { configureCheckout } from '/shop.js'
      configureCheckout({ checkoutOrigin: PAY, appearance: { accent: '#ad4318' } })
      pay.handoff = ${handoff}`,
  })
  await waitForEvent(page, 'pi-ready')
  expect(await textInFrame(page, 'appearance')).toBe('{"accent":"#ad4318"}')
})

test('a bundled copy with another origin makes the script of the checkout throw', async () => {
  const page = await sites.openShop({
    script: `
      import { defineCheckout } from '/shop.js'
      defineCheckout({ checkoutOrigin: 'https://other.example' })
      window.failure = await import(PAY + '/v1/pi-checkout.js').catch(String)`,
  })
  await expect
    .poll(() => page.evaluate('window.failure'))
    .toBe(
      'TypeError: checkoutOrigin: the tag already has https://other.example. Define another tag',
    )
  expect(await eventsOf(page)).toEqual([])
})
