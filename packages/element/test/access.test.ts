import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { expect, test } from 'vitest'
import {
  eventsAfterTimers,
  expectEvent,
  expectState,
  installClock,
  mountImmediately,
  prepareTestSites,
  press,
} from './browser/test-sites.ts'

const sites = prepareTestSites()

async function faults(page: Page): Promise<unknown> {
  // In every frame, so that faults inside the cross-origin frame are found too.
  const source = `${axe.source}; axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`
  for (const frame of page.frames()) await frame.evaluate(source)
  return page.evaluate(async () => {
    const { violations } = await (Reflect.get(window, 'axe') as typeof axe).run()
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  })
}

test('axe finds nothing while idle, loading, ready, busy, finished or in an error', async () => {
  const page = await sites.openShop({
    hosted: { steps: ['ready', 'busy'], delay: 1500 },
    script: `
      import { configureCheckout } from '/shop.js'
      configureCheckout({ origin: PAY })`,
  })
  await page.waitForFunction(() => customElements.get('pi-checkout'))
  expect(await faults(page)).toEqual([])
  await page.evaluate(() => {
    Object.assign(document.getElementById('pay') ?? {}, { intentId: 'pi_1', clientSecret: 'x' })
  })
  await page.getByText('Loading the payment form…').waitFor()
  await expectState(page, 'busy')
  expect(await faults(page)).toEqual([])
  await page.frameLocator('iframe').getByTestId('finish').click()
  await expectState(page, 'finished')
  expect(await faults(page)).toEqual([])
  await press(page, 'fail-unauthorized')
  await expectState(page, 'error')
  await expect.poll(() => page.frames().length).toBe(1)
  expect(await faults(page)).toEqual([])
})

test('the element is a named group that tells when it is busy', async () => {
  const page = await sites.openShop({ hosted: { steps: ['ready', 'busy'] } })
  await expectState(page, 'busy')
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  const group = nodes.find(({ role }) => role?.value === 'group')
  expect(group?.name?.value).toBe('Secure payment form')
  expect(group?.properties?.map(({ name }) => name)).toContain('busy')
  expect(await page.locator('#pay:state(busy)').count()).toBe(1)
  expect(await page.locator('#pay:state(ready)').count()).toBe(0)
})

test('the loading text appears after half a second, and only while loading', async () => {
  const page = await sites.openShop({
    hosted: { delay: 1200 },
    script: `${mountImmediately}
      pay.addEventListener('pi-statechange', async () => {
        await pay.updateComplete
        window.atFirst = getComputedStyle(pay.shadowRoot.querySelector('[name=loading]')).visibility
      }, { once: true })`,
  })
  const text = page.getByText('Loading the payment form…')
  await text.waitFor({ state: 'visible' })
  expect(await page.evaluate(() => Reflect.get(window, 'atFirst'))).toBe('hidden')
  await expectState(page, 'ready')
  expect(await page.getByRole('status').textContent()).toBe('')
})

test('focus stays where it was while loading, and the hidden frame is out of its order', async () => {
  const page = await sites.openShop({
    body: '<input id="mail" aria-label="Mail"><pi-checkout id="pay"></pi-checkout><button id="next">Next</button>',
    hosted: { delay: 1200 },
    script: `mail.focus(); ${mountImmediately}`,
  })
  await expectState(page, 'loading')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('next')
  await page.locator('#mail').focus()
  await expectState(page, 'ready')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('mail')
  await page.keyboard.press('Tab')
  // The frame is another process, which has to take the focus first.
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('pay')
})

test('a lost frame hands its focus to Try again', async () => {
  const page = await sites.openShop({
    hosted: { steps: ['ready', { wait: 300 }, 'busy'] },
    prepare: installClock,
  })
  await expectState(page, 'busy')
  const hosted = page.frameLocator('iframe')
  await hosted.getByLabel('Card number').focus()
  sites.hosted({ steps: [{ fail: 'internal' }] })
  await press(page, 'fail-internal')
  await expect.poll(() => eventsAfterTimers(page)).toContain('pi-error internal')
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent))
    .toBe('Try again')
})

test('focus() goes to the frame, or to Try again when it is shown', async () => {
  const page = await sites.openShop({
    hosted: { steps: ['ready'] },
    script: `${mountImmediately}; pay.addEventListener('pi-ready', () => pay.focus())`,
  })
  await expectEvent(page, 'pi-ready')
  expect(
    await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.tagName),
  ).toBe('IFRAME')
})

test.each([
  ['en', 'Try again', 'en'],
  ['hy', 'Փորձել կրկին', 'hy'],
  ['ru-RU', 'Повторить', 'ru-RU'],
  ['xx', 'Try again', 'xx'],
  ['', 'Փորձել կրկին', 'hy'],
  ['not a locale', 'Try again', 'not a locale'],
])('the locale "%s" shows "%s"', async (locale, retry, received) => {
  const page = await sites.openShop({
    body: '<div lang="hy"><pi-checkout id="pay"></pi-checkout></div>',
    script: `${mountImmediately}; pay.locale = ${JSON.stringify(locale)}`,
    prepare: installClock,
  })
  await expectEvent(page, 'pi-ready')
  expect(await page.frameLocator('iframe').getByTestId('locale').textContent()).toBe(received)
  sites.hosted({ steps: [{ fail: 'internal' }] })
  await press(page, 'fail-internal')
  await expect.poll(() => eventsAfterTimers(page)).toContain('pi-error internal')
  expect(await page.getByRole('button').textContent()).toBe(retry)
})

test('a dark color-scheme reaches the frame without a white box', async () => {
  const page = await sites.openShop({
    body: '<pi-checkout id="pay" style="color-scheme: dark"></pi-checkout>',
    colorScheme: null,
  })
  await expectState(page, 'ready')
  const hosted = page.frames()[1]
  expect(await hosted?.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(
    true,
  )
})
