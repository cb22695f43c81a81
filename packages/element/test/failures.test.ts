import { expect, test } from 'vitest'
import {
  clickInFrame,
  eventsAfterTick,
  eventsOf,
  installClock,
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
])('reports blocked_by_csp if %s blocks the frame', async (_, policy) => {
  sites.expectedMessages.push(/violates the following Content Security Policy/)
  const page = await sites.openShop({ headers: { 'content-security-policy': policy } })
  await waitForEvent(page, 'pi-error blocked_by_csp')
  expect(sites.requests).toEqual([])
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

test('shows the loading text after half a second, and a hint after five', async () => {
  const page = await sites.openShop({ hosted: () => 'silence' })
  const loading = page.getByText('Loading the payment form…')
  const hint = page.getByText('Check your connection.')
  await loading.waitFor()
  expect(await hint.isVisible()).toBe(false)
  // The animation hides a text until its end.
  for (const [text, delay] of [
    [loading, '0.5s'],
    [hint, '5s'],
  ] as const) {
    expect(await text.evaluate((node) => getComputedStyle(node).animation)).toContain(
      `${delay} steps(1)`,
    )
  }
  await hint.waitFor()
  await waitForState(page, 'loading')
})
