import { expect, test } from 'vitest'
import {
  eventsOf,
  expectEvent,
  expectState,
  mountImmediately,
  prepareTestSites,
} from './browser/test-sites.ts'

const sites = prepareTestSites()

const configured = `
  import { configureCheckout } from '/shop.js'
  configureCheckout({ origin: PAY })`

test.each([
  ['id first', `${configured}; pay.intentId = 'pi_1'; pay.clientSecret = 'pi_1_secret_x'`],
  ['secret first', `${configured}; pay.clientSecret = 'pi_1_secret_x'; pay.intentId = 'pi_1'`],
  [
    'the id a task later',
    `${configured}; pay.clientSecret = 'pi_1_secret_x'; setTimeout(() => { pay.intentId = 'pi_1' })`,
  ],
])('two values mount the hosted page: %s', async (_, script) => {
  const page = await sites.openShop({ script })
  await expectEvent(page, 'pi-ready')
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange ready',
    'pi-ready',
  ])
  expect(sites.requests).toEqual(['/checkout/pi_1'])
  const hosted = page.frameLocator('pi-checkout iframe')
  expect(await hosted.getByTestId('secret').textContent()).toBe('yes')
})

test('values that were set before the definition are taken over', async () => {
  const page = await sites.openShop({
    body: `<pi-checkout id="pay"></pi-checkout>
      <script>Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })</script>`,
    script: configured,
  })
  await expectEvent(page, 'pi-ready')
  const own = await page.evaluate(() => Object.keys(document.getElementById('pay') ?? {}))
  expect(own).not.toContain('clientSecret')
})

test('half a pair mounts nothing, and the children stay visible', async () => {
  const page = await sites.openShop({ script: `${configured}; pay.intentId = 'pi_1'` })
  await page.waitForFunction(() => customElements.get('pi-checkout'))
  expect(await page.getByText('Waiting').isVisible()).toBe(true)
  expect(await page.locator('#pay:state(idle)').count()).toBe(1)
  expect(await page.locator('#pay').getAttribute('intent-id')).toBeNull()
  expect(sites.requests).toEqual([])
  expect(await eventsOf(page)).toEqual([])
})

test('the self-contained file mounts from the host that served it, with nothing configured', async () => {
  const page = await sites.openShop({
    script: `
      await import(PAY + '/pi-checkout.js')
      Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })`,
  })
  await expectEvent(page, 'pi-ready')
  expect(sites.requests).toEqual(['/pi-checkout.js', '/checkout/pi_1'])
})

test("a copy of that file on the shop's own origin mounts nothing and says not_configured", async () => {
  const page = await sites.openShop({
    script: `
      await import('/pi-checkout.js')
      Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })`,
  })
  await expectEvent(page, 'pi-error not_configured')
  expect(await page.locator('iframe').count()).toBe(0)
  expect(await page.getByRole('alert').textContent()).toContain(
    'The payment form is not available right now.',
  )
  expect(await page.getByRole('button').count()).toBe(0)
})

test('without configureCheckout it says not_configured, and reload() after the fix mounts', async () => {
  const page = await sites.openShop({
    script: `
      import { configureCheckout } from '/shop.js'
      Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
      pay.addEventListener('pi-error', () => { configureCheckout({ origin: PAY }); pay.reload() })`,
  })
  await expectEvent(page, 'pi-ready')
  expect(await eventsOf(page)).toContain('pi-error not_configured')
})

test('attributes and meta tags never name the host (threat 50)', async () => {
  const page = await sites.openShop({
    body: `<meta name="pi-checkout-origin" content="${sites.attackerOrigin}">
      <pi-checkout id="pay" origin="${sites.attackerOrigin}" src="${sites.attackerOrigin}" host="${sites.attackerOrigin}"></pi-checkout>`,
  })
  await expectEvent(page, 'pi-ready')
  const frame = page.locator('iframe')
  expect(await frame.getAttribute('src')).toBe(`${sites.pay}/checkout/pi_1`)
})

test.each(['..', 'a/b', 'pi 1', 'пи', 'a'.repeat(129)])(
  'the id "%s" cannot climb the path: it says invalid_values',
  async (id) => {
    const page = await sites.openShop({
      script: `${mountImmediately}; pay.intentId = ${JSON.stringify(id)}; pay.clientSecret = 'x'`,
    })
    await expectEvent(page, 'pi-error invalid_values')
    expect(sites.requests).toEqual([])
  },
)

test('the frame carries what it needs and nothing more', async () => {
  const page = await sites.openShop()
  await expectState(page, 'ready')
  const attributes = await page
    .locator('iframe')
    .evaluate((frame) => Object.fromEntries([...frame.attributes].map((a) => [a.name, a.value])))
  expect(attributes).toEqual({
    title: 'Secure payment form',
    src: `${sites.pay}/checkout/pi_1`,
    part: 'frame',
    referrerpolicy: 'strict-origin',
    sandbox: 'allow-scripts allow-same-origin allow-forms allow-top-navigation',
  })
})

test('a second copy of the code leaves the registered tag alone', async () => {
  const page = await sites.openShop({
    script: `${mountImmediately}; await import(PAY + '/pi-checkout.js')`,
  })
  await expectEvent(page, 'pi-ready')
  expect(sites.requests).toContain('/pi-checkout.js')
})

test('whenReady resolves once the form is shown, rejects with the error or the abort reason', async () => {
  const page = await sites.openShop({
    script: `
      import { configureCheckout, whenReady } from '/shop.js'
      configureCheckout({ origin: PAY })
      const stop = new AbortController()
      window.aborted = whenReady(pay, { signal: stop.signal }).catch((reason) => reason)
      stop.abort('enough')
      window.first = whenReady(pay).then(() => pay.state)
      Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
      await window.first
      pay.clientSecret = 'x'
      pay.intentId = '..'
      await new Promise((resolve) => pay.addEventListener('pi-error', resolve, { once: true }))
      window.second = whenReady(pay).catch((error) => error.message)`,
  })
  await expectEvent(page, 'pi-error invalid_values')
  expect(
    await page.evaluate(() =>
      Promise.all(['aborted', 'first', 'second'].map((key) => Reflect.get(window, key))),
    ),
  ).toEqual(['enough', 'ready', 'pi-checkout: invalid_values'])
})

test('whenReady rejects when the element is removed, and waits on when it is moved', async () => {
  const page = await sites.openShop({
    hosted: () => 'silence',
    script: `
      import { configureCheckout, whenReady } from '/shop.js'
      configureCheckout({ origin: PAY })
      const outcome = (element) => whenReady(element).then(() => 'ready', ({ name }) => name)
      const other = document.createElement('pi-checkout')
      document.body.append(other)
      window.outcomes = Promise.all([outcome(pay), outcome(other)])
      Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
      await pay.updateComplete
      document.body.append(pay)
      window.moved = await Promise.race([outcomes, new Promise((resolve) => setTimeout(resolve, 50, 'waits'))])
      pay.remove()
      other.remove()`,
  })
  await expect.poll(() => page.evaluate(() => Reflect.get(window, 'moved'))).toBe('waits')
  const outcomes = await page.evaluate(() => Reflect.get(window, 'outcomes'))
  expect(outcomes).toEqual(['AbortError', 'AbortError'])
})
