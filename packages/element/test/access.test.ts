import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import {
  clickInFrame,
  configure,
  eventsAfterTick,
  installClock,
  mountDirectly,
  startSites,
  waitForState,
} from './support/sites.ts'

const sites = startSites()
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

test('has no axe violations while idle, loading, ready, busy, finished, or in an error', async () => {
  const page = await sites.openShop({
    hosted: { steps: ['ready', 'busy'], delay: 1200 },
    script: configure,
  })
  await page.waitForFunction(() => customElements.get('pi-checkout'))
  expect(await violations(page)).toEqual([])
  await page.evaluate("void Object.assign(pay, { intentId: 'pi_1', clientSecret: 'x' })")
  await page.getByText('Loading the payment form…').waitFor()
  await waitForState(page, 'busy')
  expect(await violations(page)).toEqual([])
  await page.frameLocator('iframe').getByTestId('finish').click()
  await waitForState(page, 'finished')
  expect(await violations(page)).toEqual([])
  await clickInFrame(page, 'fail-unauthorized')
  await waitForState(page, 'error')
  await expect.poll(() => page.frames().length).toBe(1)
  expect(await violations(page)).toEqual([])
})

test('is a named group that reports when it is busy', async () => {
  const page = await sites.openShop({ hosted: { steps: ['ready', 'busy'] } })
  await waitForState(page, 'busy')
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  const group = nodes.find(({ role }) => role?.value === 'group')
  expect(group?.name?.value).toBe('Secure payment form')
  expect(group?.properties?.map(({ name }) => name)).toContain('busy')
  expect(await page.locator('#pay:state(busy)').count()).toBe(1)
  expect(await page.locator('#pay:state(ready)').count()).toBe(0)
})

test('leaves the focus alone while loading, and the hidden frame out of the focus order', async () => {
  const page = await sites.openShop({
    body: twoFields,
    hosted: { delay: 1200 },
    script: `mail.focus(); ${mountDirectly}`,
  })
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.id')
  await waitForState(page, 'loading')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('next')
  await page.locator('#mail').focus()
  await waitForState(page, 'ready')
  expect(await focused()).toBe('mail')
  await page.keyboard.press('Tab')
  // The frame is another process, which has to receive the focus first.
  await expect.poll(focused).toBe('pay')
})

test.each([
  ['fail-internal', 'pi-error internal'],
  ['fail-unauthorized', 'pi-error handoff_failed'],
])('moves the focus of a frame that is lost by %s to the retry button', async (button, error) => {
  const page = await sites.openShop({
    hosted: { steps: ['ready', { wait: 300 }, 'busy'] },
    script: `${mountDirectly}; pay.fetchHandoff = () => Promise.reject(new Error('closed'))`,
    prepare: installClock,
  })
  await waitForState(page, 'busy')
  await page.frameLocator('iframe').getByLabel('Card number').focus()
  sites.serveCheckout({ steps: [{ fail: 'internal' }] })
  await clickInFrame(page, button)
  await expect.poll(() => eventsAfterTick(page)).toContain(error)
  await expect.poll(() => focusedInside(page)).toBe('Try again')
})

test('passes a dark color-scheme on to the frame', async () => {
  const page = await sites.openShop({
    body: '<pi-checkout id="pay" style="color-scheme: dark"></pi-checkout>',
    colorScheme: null,
  })
  await waitForState(page, 'ready')
  const isDark = await page
    .frames()[1]
    ?.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')
  expect(isDark).toBe(true)
})
