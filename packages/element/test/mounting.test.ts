import { expect, test } from 'vitest'
import {
  configure,
  eventsOf,
  mountDirectly,
  readyEvents,
  startSites,
  textInFrame,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites()
const setBoth = "Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })"

test.each([
  ['the id first', "pay.intentId = 'pi_1'; pay.clientSecret = 'pi_1_secret_x'"],
  ['the secret first', "pay.clientSecret = 'pi_1_secret_x'; pay.intentId = 'pi_1'"],
  [
    'the id a task later',
    "pay.clientSecret = 'pi_1_secret_x'; setTimeout(() => { pay.intentId = 'pi_1' })",
  ],
])('mounts the hosted page from id and secret: %s', async (_, script) => {
  const page = await sites.openShop({ script: `${configure}; ${script}` })
  await waitForEvent(page, 'pi-ready')
  expect(await eventsOf(page)).toEqual(readyEvents)
  expect(sites.requests).toEqual(['/checkout/pi_1'])
  expect(await textInFrame(page, 'secret')).toBe('yes')
})

test('takes over values that were set before the definition', async () => {
  const page = await sites.openShop({
    body: `<pi-checkout id="pay"></pi-checkout><script>${setBoth}</script>`,
    script: configure,
  })
  await waitForEvent(page, 'pi-ready')
  expect(await page.evaluate('Object.keys(pay)')).not.toContain('clientSecret')
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

test.each(['..', 'a/b', 'pi 1', 'пи', 'a'.repeat(129)])(
  'reports invalid_values for the id "%s", which could leave the path',
  async (id) => {
    const page = await sites.openShop({
      script: `${mountDirectly}; pay.intentId = ${JSON.stringify(id)}; pay.clientSecret = 'x'`,
    })
    await waitForEvent(page, 'pi-error invalid_values')
    expect(sites.requests).toEqual([])
  },
)

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
  })
})

test('whenReady resolves when the form is shown; rejects with the error or the abort reason', async () => {
  const page = await sites.openShop({
    script: `${configure}
      const { whenReady } = await import('/shop.js')
      const stop = new AbortController()
      const aborted = whenReady(pay, { signal: stop.signal }).catch((reason) => reason)
      stop.abort('enough')
      const first = whenReady(pay).then(() => pay.state)
      ${setBoth}
      await first
      pay.clientSecret = 'x'
      pay.intentId = '..'
      await new Promise((resolve) => pay.addEventListener('pi-error', resolve, { once: true }))
      const second = whenReady(pay).catch((error) => error.message)
      window.results = Promise.all([aborted, first, second])`,
  })
  await waitForEvent(page, 'pi-error invalid_values')
  await expect
    .poll(() => page.evaluate('window.results'))
    .toEqual(['enough', 'ready', 'pi-checkout: invalid_values'])
})

test('whenReady rejects when the element is removed, and waits when it is moved', async () => {
  const page = await sites.openShop({
    hosted: () => 'silence',
    script: `${configure}
      const { whenReady } = await import('/shop.js')
      const outcome = (element) => whenReady(element).then(() => 'ready', ({ name }) => name)
      const other = document.createElement('pi-checkout')
      document.body.append(other)
      window.outcomes = Promise.all([outcome(pay), outcome(other)])
      ${setBoth}
      await pay.updateComplete
      document.body.append(pay)
      window.moved = await Promise.race([outcomes, new Promise((resolve) => setTimeout(resolve, 50, 'waits'))])
      pay.remove()
      other.remove()`,
  })
  await expect.poll(() => page.evaluate('window.moved')).toBe('waits')
  expect(await page.evaluate('outcomes')).toEqual(['AbortError', 'AbortError'])
})
