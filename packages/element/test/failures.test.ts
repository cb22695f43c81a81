import { expect, test } from 'vitest'
import { fakeHostedPage } from '../src/testing.ts'
import {
  eventsAfterTimers,
  eventsOf,
  expectEvent,
  expectState,
  installClock,
  mountImmediately,
  prepareTestSites,
  press,
} from './browser/test-sites.ts'

const sites = prepareTestSites()
const unavailable = 'The payment form is not available right now.'

test.each(['frame-src', 'default-src', 'child-src'])(
  "a frame blocked by the page's policy says blocked_by_csp before the violation's own event is over: %s",
  async (directive) => {
    sites.expectedLines.push(/violates the following Content Security Policy/)
    const policy =
      directive === 'default-src'
        ? "default-src 'self'; style-src data:; script-src 'self'"
        : `${directive} 'none'`
    const page = await sites.openShop({
      headers: { 'content-security-policy': policy },
      // The element listens on the document, so the window receives the same violation after it.
      script: `${mountImmediately}
        addEventListener('securitypolicyviolation', () => piEvents.push('violation over'))`,
      // No timer fires: no event waits for one.
      prepare: async (opened) => {
        await opened.clock.install({ time: 0 })
        await opened.clock.pauseAt(1000)
      },
    })
    await expectEvent(page, 'violation over')
    expect(await eventsOf(page)).toEqual([
      'pi-statechange loading',
      'pi-statechange error',
      'pi-error blocked_by_csp',
      'violation over',
    ])
    expect(sites.requests).toEqual([])
  },
)

test('a report-only policy blocks nothing', async () => {
  sites.expectedLines.push(/Content Security Policy/)
  const page = await sites.openShop({
    headers: { 'content-security-policy-report-only': "frame-src 'none'" },
  })
  await expectEvent(page, 'pi-ready')
})

test('a refused connection says unreachable after one silent retry; Try again heals it', async () => {
  sites.expectedLines.push(/Failed to load resource/)
  const page = await sites.openShop({ hosted: () => undefined, prepare: installClock })
  await expect.poll(() => eventsAfterTimers(page)).toContain('pi-error unreachable')
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange error',
    'pi-error unreachable',
  ])
  expect(sites.requests.filter((path) => path === '/checkout/pi_1').length).toBeGreaterThan(1)
  expect(await page.getByRole('alert').textContent()).toContain(unavailable)
  sites.hosted({})
  await page.getByRole('button', { name: 'Try again' }).click()
  await expectEvent(page, 'pi-ready')
  expect(await page.getByRole('alert').textContent()).toBe('')
})

test('a frame that frame-ancestors forbids says unreachable (threat 49)', async () => {
  sites.expectedLines.push(/frame-ancestors/, /Failed to load resource/)
  const page = await sites.openShop({
    hosted: () => ({
      body: '<script>parent.postMessage({ pi: 1 }, "*")</script>',
      headers: { 'content-security-policy': "frame-ancestors 'none'" },
    }),
    prepare: installClock,
  })
  await expect.poll(() => eventsAfterTimers(page)).toContain('pi-error unreachable')
})

test('a page under COEP says unreachable (threat 49)', async () => {
  sites.expectedLines.push(/Failed to load resource/)
  const page = await sites.openShop({
    headers: { 'cross-origin-embedder-policy': 'require-corp' },
    prepare: installClock,
  })
  await expect.poll(() => eventsAfterTimers(page)).toContain('pi-error unreachable')
})

test('reports no error if the retry succeeds', async () => {
  sites.expectedLines.push(/Failed to load resource/)
  const page = await sites.openShop({
    hosted: () => undefined,
    prepare: async (opened) => {
      await installClock(opened)
      opened.on('requestfailed', () => sites.hosted({}))
    },
  })
  await expect.poll(() => eventsAfterTimers(page)).toContain('pi-ready')
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange ready',
    'pi-ready',
  ])
})

test('a silent host says unreachable after twelve seconds, twice; a hidden page does not count them', async () => {
  const page = await sites.openShop({
    hosted: () => 'silence',
    prepare: (opened) => opened.clock.install(),
  })
  await expectState(page, 'loading')
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

test('a page that never gets ready says unreachable twenty seconds after its hello', async () => {
  const page = await sites.openShop({
    hosted: { steps: ['busy', { size: 300 }] },
    prepare: (opened) => opened.clock.install(),
  })
  const secret = page.frameLocator('iframe').getByTestId('secret')
  await expect.poll(() => secret.textContent()).toBe('yes')
  await page.clock.runFor(21_000)
  expect(await eventsOf(page)).toEqual(['pi-statechange loading'])
  await expect.poll(() => secret.textContent()).toBe('yes')
  await page.clock.runFor(21_000)
  expect(await eventsOf(page)).toContain('pi-error unreachable')
})

test('without a network a retryable failure reads offline', async () => {
  sites.expectedLines.push(/Failed to load resource/)
  const page = await sites.openShop({
    script: `
      import { configureCheckout } from '/shop.js'
      configureCheckout({ origin: PAY })
      addEventListener('offline', () => {
        Object.assign(pay, { intentId: 'pi_1', clientSecret: 'pi_1_secret_x' })
      })`,
    prepare: installClock,
  })
  await expect.poll(() => page.evaluate("!!customElements.get('pi-checkout')")).toBe(true)
  await page.context().setOffline(true)
  await expect.poll(() => eventsAfterTimers(page)).toContain('pi-error offline')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expectEvent(page, 'pi-ready')
})

test('a shop on plain http off loopback says insecure_context', async () => {
  const page = await sites.openShop({
    prepare: (opened) =>
      opened.addInitScript(() =>
        Object.defineProperty(window, 'isSecureContext', { value: false }),
      ),
  })
  await expectEvent(page, 'pi-error insecure_context')
  expect(sites.requests).toEqual([])
})

const strict = (trustedTypes: string): Record<string, string> => ({
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'none'; img-src 'none'; " +
    `frame-src ${sites.pay}; require-trusted-types-for 'script'; trusted-types ${trustedTypes}`,
})

test("the documented policy lines produce no violation, style-src 'none' and Trusted Types included", async () => {
  // The shop's own stylesheet link is blocked here, and nothing else.
  sites.expectedLines.push(/stylesheet 'data:text\/css/)
  const page = await sites.openShop({
    headers: strict('lit-html'),
    prepare: (opened) =>
      opened.addInitScript(() => {
        const violations: string[] = []
        Object.assign(window, { violations })
        document.addEventListener(
          'securitypolicyviolation',
          ({ blockedURI, effectiveDirective }) => {
            if (!blockedURI.startsWith('data'))
              violations.push(`${effectiveDirective} ${blockedURI}`)
          },
        )
      }),
  })
  await expectEvent(page, 'pi-ready')
  await press(page, 'fail-unauthorized')
  await expectEvent(page, 'pi-error unauthorized')
  expect(await page.evaluate(() => Reflect.get(window, 'violations'))).toEqual([])
  const height = await page.locator('#pay').evaluate((pay) => pay.getBoundingClientRect().height)
  expect(height).toBe(600)
})

test('without lit-html in the list of trusted types the children stay visible', async () => {
  sites.expectedLines.push(/stylesheet 'data:text\/css/, /TrustedTypePolicy|lit-html/)
  const page = await sites.openShop({ headers: strict("'none'") })
  await page.waitForTimeout(200)
  expect(await page.getByText('Waiting').isVisible()).toBe(true)
})

const isolating = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

test('a cross-origin-isolated page shows the hosted page in Chromium', async () => {
  const page = await sites.openShop({ headers: isolating })
  await expectEvent(page, 'pi-ready')
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  const secret = page.frameLocator('iframe').getByTestId('secret')
  expect(await secret.textContent()).toBe('yes')
})

test('a form that is slow says so after five seconds, and not before', async () => {
  const page = await sites.openShop({ hosted: () => 'silence' })
  const hint = page.getByText('Check your connection.')
  await hint.waitFor({ state: 'attached' })
  const [first, duration] = await hint.evaluate((node) => {
    const { visibility, animationDuration } = getComputedStyle(node)
    return [visibility, animationDuration]
  })
  expect([first, duration]).toEqual(['hidden', '5s'])
  await hint.waitFor({ state: 'visible' })
  await expectState(page, 'loading')
})

test('an error in a test environment names code and fix, in page and console', async () => {
  const page = await sites.openShop({ hosted: { steps: [{ fail: 'origin_not_allowed' }] } })
  await expectEvent(page, 'pi-error origin_not_allowed')
  const help = `pi-checkout: origin_not_allowed. This page is not registered. Run: npx pi-service origins add ${sites.shop}`
  await expect.poll(() => page.getByRole('alert').locator('p').textContent()).toBe(help)
  expect(sites.hints).toEqual([`error: ${help}`])
})

/** A hosted page that says, or does not say, that the environment is a test's. */
const failing = (said: string): string =>
  fakeHostedPage({ steps: [{ fail: 'unauthorized' }] }).html.replace(
    'code: step.fail }',
    `code: step.fail, ${said} }`,
  )

test.each([
  ['a test environment explains', 'test: true', 1],
  ['a live environment stays calm', '', 0],
] as const)('on a page by https an error of %s', async (_, said, lines) => {
  const page = await sites.openShop({ script: '' })
  // No page by https may show a frame of this machine, so both are made up.
  await page.route('https://shop.example/**', async (route) => {
    const url = new URL(route.request().url())
    url.protocol = 'http:'
    url.host = `127.0.0.1:${new URL(sites.shop).port}`
    await route.fulfill({ response: await route.fetch({ url: url.href }) })
  })
  const body = failing(said)
  await page.route('https://pay.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body }),
  )
  await page.goto('https://shop.example/', { waitUntil: 'domcontentloaded' })
  const content = mountImmediately.replace('PAY', "'https://pay.example'")
  await page.addScriptTag({ type: 'module', content })
  await expectEvent(page, 'pi-error unauthorized')
  expect(sites.hints).toHaveLength(lines)
  expect(await page.getByRole('alert').locator('p').count()).toBe(lines)
})
