import { expect, test } from 'vitest'
import { fakeHostedPage } from '../src/testing/index.ts'
import {
  clickInFrame,
  configure,
  eventsAfterTick,
  eventsOf,
  installClock,
  mountDirectly,
  readyEvents,
  startSites,
  textInFrame,
  waitForEvent,
  waitForState,
} from './support/sites.ts'

const sites = startSites()

test.each([
  ['frame-src', "frame-src 'none'"],
  ['default-src', "default-src 'self'; style-src data:; script-src 'self'"],
  ['child-src', "child-src 'none'"],
])('reports blocked_by_csp within the event of the %s violation', async (_, policy) => {
  sites.expectedMessages.push(/violates the following Content Security Policy/)
  const page = await sites.openShop({
    headers: { 'content-security-policy': policy },
    // The element listens on the document, so the window receives the same violation after it.
    script: `${mountDirectly}
      addEventListener('securitypolicyviolation', () => eventLog.push('violation over'))`,
    // No timer fires: no event waits for one.
    prepare: async (opened) => {
      await opened.clock.install({ time: 0 })
      await opened.clock.pauseAt(1000)
    },
  })
  await waitForEvent(page, 'violation over')
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange error',
    'pi-error blocked_by_csp',
    'violation over',
  ])
  expect(sites.requests).toEqual([])
})

test('ignores the violations of a report-only policy', async () => {
  sites.expectedMessages.push(/Content Security Policy/)
  const page = await sites.openShop({
    headers: { 'content-security-policy-report-only': "frame-src 'none'" },
  })
  await waitForEvent(page, 'pi-ready')
})

test('reports unreachable after one silent retry; the retry button mounts again', async () => {
  sites.expectedMessages.push(/Failed to load resource/)
  const page = await sites.openShop({ hosted: () => undefined, prepare: installClock })
  await expect.poll(() => eventsAfterTick(page)).toContain('pi-error unreachable')
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange error',
    'pi-error unreachable',
  ])
  expect(sites.requests.filter((path) => path === '/checkout/pi_1').length).toBeGreaterThan(1)
  expect(await page.getByRole('alert').textContent()).toContain(
    'The payment form is not available right now.',
  )
  sites.serveCheckout({})
  await page.getByRole('button', { name: 'Try again' }).click()
  await waitForEvent(page, 'pi-ready')
  expect(await page.getByRole('alert').textContent()).toBe('')
})

test.each([
  [
    'forbidden by frame-ancestors',
    {},
    () => ({
      body: '<script>parent.postMessage({ pi: 1 }, "*")</script>',
      headers: { 'content-security-policy': "frame-ancestors 'none'" },
    }),
  ],
  ['blocked by COEP', { 'cross-origin-embedder-policy': 'require-corp' }, {}],
])('reports unreachable if the frame is %s (threat 49)', async (_, headers, hosted) => {
  sites.expectedMessages.push(/frame-ancestors/, /Failed to load resource/)
  const page = await sites.openShop({ headers, hosted, prepare: installClock })
  await expect.poll(() => eventsAfterTick(page)).toContain('pi-error unreachable')
})

test('dispatches no error if the silent retry succeeds', async () => {
  sites.expectedMessages.push(/Failed to load resource/)
  const page = await sites.openShop({
    hosted: () => undefined,
    prepare: async (opened) => {
      await installClock(opened)
      opened.on('requestfailed', () => sites.serveCheckout({}))
    },
  })
  await expect.poll(() => eventsAfterTick(page)).toContain('pi-ready')
  expect(await eventsOf(page)).toEqual(readyEvents)
})

test('reports a silent host after twelve seconds, twice, not counting a hidden page', async () => {
  const page = await sites.openShop({ hosted: () => 'silence', prepare: installClock })
  await waitForState(page, 'loading')
  const hide = (hidden: boolean): Promise<void> =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true })
    }, hidden)
  await hide(true)
  await page.clock.runFor(60_000)
  await hide(false)
  await page.clock.runFor(12_000 + 10_000)
  expect(await eventsOf(page)).toEqual(['pi-statechange loading'])
  await page.clock.runFor(5000)
  expect(await eventsOf(page)).toContain('pi-error unreachable')
})

test('reports a page that is not ready twenty seconds after its hello', async () => {
  const page = await sites.openShop({
    hosted: { steps: ['busy', { size: 300 }] },
    prepare: installClock,
  })
  await expect.poll(() => textInFrame(page, 'secret')).toBe('yes')
  await page.clock.runFor(21_000)
  expect(await eventsOf(page)).toEqual(['pi-statechange loading'])
  await expect.poll(() => textInFrame(page, 'secret')).toBe('yes')
  await page.clock.runFor(21_000)
  expect(await eventsOf(page)).toContain('pi-error unreachable')
})

test('reports a retryable failure without a network as offline', async () => {
  sites.expectedMessages.push(/Failed to load resource/)
  const page = await sites.openShop({
    script: `${configure}
      addEventListener('offline', () => {
        Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
      })`,
    prepare: installClock,
  })
  await expect.poll(() => page.evaluate("!!customElements.get('pi-checkout')")).toBe(true)
  await page.context().setOffline(true)
  await expect.poll(() => eventsAfterTick(page)).toContain('pi-error offline')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await waitForEvent(page, 'pi-ready')
})

test("the documented policy causes no violation, with style-src 'none' and Trusted Types", async () => {
  // The shop's own stylesheet is blocked here, and nothing else.
  sites.expectedMessages.push(/stylesheet 'data:text\/css/)
  const page = await sites.openShop({
    headers: {
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'none'; img-src 'none'; " +
        `frame-src ${sites.checkout}; require-trusted-types-for 'script'; trusted-types 'none'`,
    },
    prepare: (opened) =>
      opened.addInitScript(`
        window.violations = []
        document.addEventListener('securitypolicyviolation', (event) => {
          const { blockedURI, effectiveDirective } = event
          if (!blockedURI.startsWith('data')) violations.push(effectiveDirective + ' ' + blockedURI)
        })`),
  })
  await waitForEvent(page, 'pi-ready')
  await clickInFrame(page, 'fail-unauthorized')
  await waitForEvent(page, 'pi-error unauthorized')
  expect(await page.evaluate('violations')).toEqual([])
  const height = await page.locator('#pay').evaluate((pay) => pay.getBoundingClientRect().height)
  expect(height).toBe(532)
})

test('shows the hosted page on a cross-origin-isolated page in Chromium', async () => {
  const page = await sites.openShop({
    headers: {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    },
  })
  await waitForEvent(page, 'pi-ready')
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  expect(await textInFrame(page, 'secret')).toBe('yes')
})

test('shows a hint about the connection after five seconds of loading', async () => {
  const page = await sites.openShop({ hosted: () => 'silence' })
  const hint = page.getByText('Check your connection.')
  await hint.waitFor({ state: 'attached' })
  const [first, duration] = await hint.evaluate((node) => {
    const { visibility, animationDuration } = getComputedStyle(node)
    return [visibility, animationDuration]
  })
  expect([first, duration]).toEqual(['hidden', '5s'])
  await hint.waitFor({ state: 'visible' })
  await waitForState(page, 'loading')
})

test('names code and fix of an error in a test environment, on the page and the console', async () => {
  const page = await sites.openShop({ hosted: { steps: [{ fail: 'origin_not_allowed' }] } })
  await waitForEvent(page, 'pi-error origin_not_allowed')
  const help = `pi-checkout: origin_not_allowed. This page is not registered. Run: npx pi-service origins add ${sites.shop}`
  await expect.poll(() => page.getByRole('alert').locator('p').textContent()).toBe(help)
  expect(sites.helpMessages).toEqual([`error: ${help}`])
})

test.each([
  ['explains an error of a test environment', 'test: true', 1],
  ['does not explain an error of a live environment', '', 0],
] as const)('on a page over https, %s', async (_, fields, lines) => {
  const page = await sites.openShop({ script: '' })
  // A page over https may not show a frame from loopback, so both origins are replaced.
  await page.route('https://shop.example/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    const url = `http://127.0.0.1:${new URL(sites.shop).port}${pathname}`
    await route.fulfill({ response: await route.fetch({ url }) })
  })
  const { html } = fakeHostedPage({ steps: [{ fail: 'unauthorized' }] })
  const body = html.replace('code: step.fail }', `code: step.fail, ${fields} }`)
  await page.route('https://pay.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body }),
  )
  await page.goto('https://shop.example/', { waitUntil: 'domcontentloaded' })
  const content = mountDirectly.replace('PAY', "'https://pay.example'")
  await page.addScriptTag({ type: 'module', content })
  await waitForEvent(page, 'pi-error unauthorized')
  expect(sites.helpMessages).toHaveLength(lines)
  expect(await page.getByRole('alert').locator('p').count()).toBe(lines)
})
