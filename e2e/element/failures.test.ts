import { expect, test, waitForEvent } from '../fixtures/element-sites.ts'

for (const [directive, policy] of [
  ['frame-src', "frame-src 'none'"],
  ['default-src', "default-src 'self'; style-src data:; script-src 'self'"],
  ['child-src', "child-src 'none'"],
] as const) {
  test(`reports blocked_by_csp if ${directive} blocks the frame`, { tag: '@firefox' }, async ({
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
