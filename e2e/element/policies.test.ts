import { actInFrame, expect, test, waitForEvent, waitForState } from '../fixtures/element-sites.ts'

const policy = (value: string) => ({ 'content-security-policy': value })

test('reports blocked_by_csp for each directive that forbids the frame', {
  tag: '@firefox',
}, async ({ page, sites, pageErrors }) => {
  pageErrors.allow(/Content Security Policy|policy violation|blocked the loading/)
  for (const value of [
    "frame-src 'none'",
    "default-src 'self'; style-src data:; script-src 'self'",
    "child-src 'none'",
  ]) {
    await sites.openShop({ headers: policy(value) })
    await waitForEvent(page, 'pi-error blocked_by_csp')
    expect(sites.requests, value).toEqual([])
  }
})

test('a form that cannot load leads to the shop, or to the separate page', async ({
  page,
  sites,
  pageErrors,
}) => {
  pageErrors.allow(/Content Security Policy|policy violation/)
  const headers = policy("frame-src 'none'")
  const error = page.getByRole('alert')
  await sites.openShop({ headers })
  await expect(error).toHaveText('!Payment form did not load Contact the shop.')
  const separate = '<form slot="page"><button>Pay on a separate page</button></form>'
  await sites.openShop({ headers, body: `<pi-checkout id="pay">${separate}</pi-checkout>` })
  await expect(page.getByRole('button', { name: 'Pay on a separate page' })).toBeVisible()
  await expect(error).toHaveText('!Payment form did not load Already paid? Contact the shop.')
})

test('names what else forbids the frame', async ({ page, sites, pageErrors }) => {
  pageErrors.allow(/frame-ancestors|Failed to load resource/)
  await page.clock.install()
  // It tries twice.
  const passTries = async (): Promise<void> => {
    for (let i = 0; i < 2; i++) await page.clock.fastForward(13_500)
  }
  const isolated = { 'cross-origin-embedder-policy': 'require-corp' }
  const body = '<script>parent.postMessage({ pi: 1 }, "*")</script>'
  const none = () => ({ body, headers: policy("frame-ancestors 'none'") })
  for (const [code, options] of [
    ['unreachable', { hosted: none }],
    ['cross_origin_isolated', { headers: isolated }],
  ] as const) {
    await sites.openShop(options)
    await waitForState(page, 'loading')
    await passTries()
    await waitForEvent(page, `pi-error ${code}`)
  }
  await sites.openShop({
    hosted: () => ({ body: '', headers: policy(`frame-ancestors ${sites.shop.origin}`) }),
  })
  sites.attacker.respond = () => `<iframe src="${sites.shop.origin}/"></iframe>`
  await page.goto(sites.attacker.origin, { waitUntil: 'domcontentloaded' })
  const shop = page.frameLocator('iframe')
  await expect(shop.locator('#pay:state(loading)')).toHaveCount(1)
  await passTries()
  const code = (pay: HTMLElementTagNameMap['pi-checkout']): unknown => pay.error?.code
  await expect.poll(() => shop.locator('#pay').evaluate(code)).toBe('foreign_frame')
})

test('an isolated page shows the form', async ({ page, sites }) => {
  const isolated = {
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-opener-policy': 'same-origin',
  }
  await sites.openShop({ headers: isolated })
  expect(await page.evaluate('crossOriginIsolated')).toBe(true)
  await waitForState(page, 'ready')
})

test('the documented policy causes no violation', async ({ page, sites, pageErrors }) => {
  // The shop's own stylesheet is blocked here, and nothing else.
  pageErrors.allow(/stylesheet 'data:text\/css|policy violation: style-src-elem data/)
  await sites.openShop({
    headers: policy(
      "default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'none'; img-src 'none'; " +
        `frame-src ${sites.checkout.origin}; require-trusted-types-for 'script'; trusted-types lit-html`,
    ),
  })
  await waitForEvent(page, 'pi-ready')
  await actInFrame(page, 'fail-unauthorized')
  await waitForEvent(page, 'pi-error unauthorized')
  expect(await page.locator('#pay').boundingBox()).toMatchObject({ height: 532 })
})
