import { actInFrame, expect, test, waitForEvent, waitForState } from '../fixtures/element-sites.ts'

for (const [code, reason, headers, hosted] of [
  [
    'unreachable',
    'forbidden by frame-ancestors',
    {},
    () => ({
      body: '<script>parent.postMessage({ pi: 1 }, "*")</script>',
      headers: { 'content-security-policy': "frame-ancestors 'none'" },
    }),
  ],
  [
    'cross_origin_isolated',
    'blocked by COEP',
    { 'cross-origin-embedder-policy': 'require-corp' },
    {},
  ],
] as const) {
  test(`reports ${code} if the frame is ${reason}`, async ({ page, sites, pageErrors }) => {
    pageErrors.allow(/frame-ancestors|Failed to load resource/)
    await page.clock.install()
    await sites.openShop({ headers, hosted })
    await waitForState(page, 'loading')
    for (let i = 0; i < 2; i++) await page.clock.runFor(13_500)
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
  const policy = `frame-ancestors ${sites.shop}`
  await sites.openShop({
    hosted: () => ({ body: '', headers: { 'content-security-policy': policy } }),
  })
  sites.serveAttacker(() => ({
    body: `<!doctype html><title>Site</title><iframe src="${sites.shop}/"></iframe>`,
  }))
  await page.goto(sites.attacker, { waitUntil: 'domcontentloaded' })
  const shop = page.frameLocator('iframe')
  await expect(shop.locator('#pay:state(loading)')).toHaveCount(1)
  for (let i = 0; i < 2; i++) await page.clock.runFor(13_500)
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
    headers: {
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'none'; img-src 'none'; " +
        `frame-src ${sites.checkout}; require-trusted-types-for 'script'; trusted-types lit-html`,
    },
  })
  await waitForEvent(page, 'pi-ready')
  await actInFrame(page, 'fail-unauthorized')
  await waitForEvent(page, 'pi-error unauthorized')
  expect(await page.locator('#pay').boundingBox()).toMatchObject({ height: 532 })
})
