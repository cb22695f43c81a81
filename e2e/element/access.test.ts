import type { Page } from '@playwright/test'
import axe from 'axe-core'
import {
  clickInFrame,
  configure,
  eventsAfterTick,
  expect,
  mountDirectly,
  test,
  waitForState,
} from '../fixtures/element-sites.ts'

const twoFields = `<input id="mail" aria-label="Mail"><pi-checkout id="pay"></pi-checkout><button id="next">Next</button>`

async function violations(page: Page): Promise<unknown> {
  // In each frame, to find violations in the cross-origin frame too.
  const source = `${axe.source}; axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`
  for (const frame of page.frames()) await frame.evaluate(source)
  return page.evaluate(async () => {
    const { violations: found } = await (Reflect.get(window, 'axe') as typeof axe).run()
    return found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  })
}

/** Returns the focused element inside the checkout's shadow root. */
function focusedInside(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const focused = document.activeElement?.shadowRoot?.activeElement
    return focused?.textContent || focused?.tagName
  })
}

test('has no axe violations while idle, loading, ready, busy, finished, or in an error', async ({
  page,
  sites,
}) => {
  await sites.openShop({ hosted: { steps: ['ready', 'busy'] }, script: configure })
  await waitForState(page, 'idle')
  expect(await violations(page)).toEqual([])
  sites.serveCheckout({ steps: [] })
  await page.evaluate("void (pay.handoff = { id: 'pi_1', clientSecret: 'x' })")
  const frame = page.frameLocator('iframe')
  await expect(frame.getByTestId('secret')).toHaveText('yes')
  await waitForState(page, 'loading')
  expect(await violations(page)).toEqual([])
  for (const [act, state] of [
    ['ready', 'ready'],
    ['busy', 'busy'],
    ['finish', 'finished'],
  ] as const) {
    await clickInFrame(page, act)
    await waitForState(page, state)
    expect(await violations(page)).toEqual([])
  }
  await clickInFrame(page, 'fail-unauthorized')
  await waitForState(page, 'error')
  await expect(page.locator('iframe')).toHaveCount(0)
  expect(await violations(page)).toEqual([])
})

test('is a named group that reports when it is loading', async ({ page, sites }) => {
  await sites.openShop({ hosted: { steps: [] } })
  await waitForState(page, 'loading')
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  const group = nodes.find(({ role }) => role?.value === 'group')
  expect(group?.name?.value).toBe('Secure payment form')
  expect(group?.properties?.map(({ name }) => name)).toContain('busy')
  await expect(page.locator('#pay:state(ready)')).toHaveCount(0)
})

test('leaves the focus alone while loading, and the hidden frame out of the focus order', async ({
  page,
  sites,
}) => {
  await sites.openShop({
    body: twoFields,
    hosted: { steps: [] },
    script: `mail.focus(); ${mountDirectly}`,
  })
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.id')
  await waitForState(page, 'loading')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('next')
  await page.locator('#mail').focus()
  await clickInFrame(page, 'ready')
  await waitForState(page, 'ready')
  expect(await focused()).toBe('mail')
  await page.keyboard.press('Tab')
  // The frame is another process, which has to receive the focus first.
  await expect.poll(focused).toBe('pay')
})

test('moves the focus of a lost frame to the retry button', async ({ page, sites }) => {
  await page.clock.install()
  await sites.openShop()
  await waitForState(page, 'ready')
  await page.frameLocator('iframe').getByLabel('Card number').focus()
  await expect.poll(() => focusedInside(page)).toBe('IFRAME')
  sites.serveCheckout({ steps: [{ fail: 'internal' }] })
  await clickInFrame(page, 'fail-internal')
  await expect.poll(() => eventsAfterTick(page)).toContain('pi-error internal')
  await expect.poll(() => focusedInside(page)).toBe('Try again')
})

test.describe('on a page without a color scheme', () => {
  test.use({ colorScheme: null })

  test('passes a dark color-scheme on to the frame', async ({ page, sites }) => {
    await sites.openShop({
      body: '<pi-checkout id="pay" style="color-scheme: dark"></pi-checkout>',
    })
    await waitForState(page, 'ready')
    const isDark = 'matchMedia("(prefers-color-scheme: dark)").matches'
    expect(await page.frames()[1]?.evaluate(isDark)).toBe(true)
  })
})
