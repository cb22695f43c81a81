import { eventsOf, expect, test, waitForEvent, waitForState } from '../fixtures/element-sites.ts'

for (const [directive, policy] of [
  ['frame-src', "frame-src 'none'"],
  ['default-src', "default-src 'self'; style-src data:; script-src 'self'"],
  ['child-src', "child-src 'none'"],
] as const) {
  test(`reports blocked_by_csp if ${directive} blocks the frame`, async ({
    page,
    sites,
    pageErrors,
  }) => {
    pageErrors.allow(/Content Security Policy|policy violation|blocked the loading/)
    await sites.openShop({ headers: { 'content-security-policy': policy } })
    await waitForEvent(page, 'pi-error blocked_by_csp')
    expect(sites.requests).toEqual([])
  })
}

test('reports unreachable after one silent retry; the retry button mounts again', async ({
  page,
  sites,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource|about:neterror|blocked an inline style/)
  await page.clock.install()
  await sites.openShop({ hosted: () => undefined })
  await waitForState(page, 'loading')
  // The longest wait for a page, and the pause before the other try.
  for (let i = 0; i < 2; i++) await page.clock.runFor(13_500)
  await waitForEvent(page, 'pi-error unreachable')
  expect(await eventsOf(page)).toEqual([
    'pi-statechange loading',
    'pi-statechange error',
    'pi-error unreachable',
  ])
  expect(sites.requests.filter((path) => path === '/checkout/pi_1').length).toBeGreaterThan(1)
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('The payment form does not respond.')
  sites.serveCheckout({})
  await page.getByRole('button', { name: 'Try again' }).click()
  await waitForEvent(page, 'pi-ready')
  await expect(alert).toHaveText('')
})
