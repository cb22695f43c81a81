import { actInFrame, expect, test, waitForEvent, waitForState } from '../fixtures/element-sites.ts'

const policy = (value: string) => ({ 'content-security-policy': value })

for (const [code, reason, headers, tag = []] of [
  ['blocked_by_csp', 'blocked by frame-src', policy("frame-src 'none'"), '@firefox'],
  [
    'blocked_by_csp',
    'blocked by default-src',
    policy("default-src 'self'; style-src data:; script-src 'self'"),
    '@firefox',
  ],
  ['blocked_by_csp', 'blocked by child-src', policy("child-src 'none'"), '@firefox'],
  ['unreachable', 'forbidden by frame-ancestors', {}],
  ['cross_origin_isolated', 'blocked by COEP', { 'cross-origin-embedder-policy': 'require-corp' }],
] as const) {
  test(`reports ${code} if the frame is ${reason}`, { tag }, async ({
    page,
    sites,
    pageErrors,
  }) => {
    pageErrors.allow(/Content Security Policy|policy violation|blocked the loading/)
    pageErrors.allow(/frame-ancestors|Failed to load resource/)
    await page.clock.install()
    const body = '<script>parent.postMessage({ pi: 1 }, "*")</script>'
    const hosted = () => ({ body, headers: policy("frame-ancestors 'none'") })
    await sites.openShop({ headers, hosted: code === 'unreachable' ? hosted : {} })
    if (code === 'blocked_by_csp') {
      await waitForEvent(page, 'pi-error blocked_by_csp')
      return expect(sites.requests).toEqual([])
    }
    await waitForState(page, 'loading')
    // It tries twice.
    for (let i = 0; i < 2; i++) await page.clock.fastForward(13_500)
    await waitForEvent(page, `pi-error ${code}`)
  })
}

test('names a page that another site has in a frame, which the checkout does not permit', async ({
  page,
  sites,
  pageErrors,
}) => {
  pageErrors.allow(/frame-ancestors|Failed to load resource/)
  await page.clock.install()
  await sites.openShop({
    hosted: () => ({ body: '', headers: policy(`frame-ancestors ${sites.shop}`) }),
  })
  sites.serveAttacker(() => `<iframe src="${sites.shop}/"></iframe>`)
  await page.goto(sites.attacker, { waitUntil: 'domcontentloaded' })
  const shop = page.frameLocator('iframe')
  await expect(shop.locator('#pay:state(loading)')).toHaveCount(1)
  for (let i = 0; i < 2; i++) await page.clock.fastForward(13_500)
  await expect(shop.getByRole('alert')).toContainText('foreign_frame')
})

test("the documented policy causes no violation, with style-src 'none' and Trusted Types", async ({
  page,
  sites,
  pageErrors,
}) => {
  // The shop's own stylesheet is blocked here, and nothing else.
  pageErrors.allow(/stylesheet 'data:text\/css|policy violation: style-src-elem data/)
  await sites.openShop({
    headers: policy(
      "default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'none'; img-src 'none'; " +
        `frame-src ${sites.checkout}; require-trusted-types-for 'script'; trusted-types lit-html`,
    ),
  })
  await waitForEvent(page, 'pi-ready')
  await actInFrame(page, 'fail-unauthorized')
  await waitForEvent(page, 'pi-error unauthorized')
  expect(await page.locator('#pay').boundingBox()).toMatchObject({ height: 532 })
})
