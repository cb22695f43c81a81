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

const handoff = "{ id: 'pi_1', clientSecret: 'pi_1_secret_x', replayed: true }"

test.each([
  ['id and secret', "pay.intentId = 'pi_1'; pay.clientSecret = 'pi_1_secret_x'"],
  ['secret and id', "pay.clientSecret = 'pi_1_secret_x'; pay.intentId = 'pi_1'"],
  [
    'an id a task later',
    "pay.clientSecret = 'pi_1_secret_x'; setTimeout(() => { pay.intentId = 'pi_1' })",
  ],
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
    script: `await import(PAY + '/v1/pi-checkout.js'); ${setBoth}`,
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

test('mounts on reload() after a configuration that came late', async () => {
  const page = await sites.openShop({
    script: `
      import '/react.js'
      import { configureCheckout } from '/shop.js'
      ${setBoth}
      pay.addEventListener('pi-error', () => {
        configureCheckout({ checkoutOrigin: PAY })
        pay.reload()
      })`,
  })
  await waitForEvent(page, 'pi-ready')
  expect(await eventsOf(page)).toContain('pi-error not_configured')
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

test('the frame has the attributes that it needs, and no other', async () => {
  const page = await sites.openShop()
  await waitForState(page, 'ready')
  const attributes = await page
    .locator('iframe')
    .evaluate((frame) => Object.fromEntries([...frame.attributes].map((a) => [a.name, a.value])))
  expect(attributes).toEqual({
    title: 'Secure payment form',
    src: `${sites.checkout}/checkout/pi_1`,
    part: 'frame',
    referrerpolicy: 'strict-origin',
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-top-navigation',
    style: 'opacity: 1;',
  })
})

test('whenReady resolves when the form is shown', async () => {
  const page = await sites.openShop({
    script: `${configure}
      const { whenReady } = await import('/shop.js')
      window.ready = whenReady(pay).then(() => pay.state)
      ${setBoth}`,
  })
  await expect.poll(() => page.evaluate('window.ready')).toBe('ready')
})
