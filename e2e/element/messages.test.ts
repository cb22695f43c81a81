import type { PiEventType } from '@pi-checkout/element'
import {
  actInFrame,
  expect,
  mountDirectly,
  test,
  textInFrame,
  waitForEvent,
  waitForState,
} from '../fixtures/element-sites.ts'

test('leaves no frame if a handler of an event removes the element', async ({ page, sites }) => {
  for (const [type, step] of [
    ['pi-statechange', 'ready'],
    ['pi-ready', 'ready'],
    ['pi-finish', 'finish'],
    ['pi-error', 'fail-unauthorized'],
  ] as const) {
    const remove = '({ target }) => { (window.removed ??= target).remove() }'
    await sites.openShop({
      script: `pay.addEventListener('${type satisfies PiEventType}', ${remove}); ${mountDirectly}`,
      hosted: ['ready', step],
    })
    await expect.poll(() => page.evaluate('window.removed?.state'), type).toBe('idle')
    expect(await page.evaluate("removed.shadowRoot.querySelectorAll('iframe').length")).toBe(0)
  }
})

test('sends the closest language to the frame, also when it changes', async ({ page, sites }) => {
  await sites.openShop()
  await waitForState(page, 'ready')
  const frame = page.locator('#pay iframe')
  for (const [act, locale, title] of [
    ["document.documentElement.lang = 'ru'", 'ru', 'Форма оплаты'],
    ["pay.locale = 'hy'", 'hy', 'Վճարման ձև'],
    ['pay.locale = null', 'ru', 'Форма оплаты'],
  ] as const) {
    await page.evaluate(`{ ${act} }`)
    await expect.poll(() => textInFrame(page, 'locale')).toBe(locale)
    await expect(frame).toHaveAttribute('title', title)
  }
  await page.evaluate('void (pay.appearance = { accent: "#ad4318" })')
  await expect.poll(() => textInFrame(page, 'appearance')).toBe('{"accent":"#ad4318"}')
  expect(sites.requests).toEqual(['/checkout/pi_1'])
})

test('a lost form offers no other page while the browser is offline, and loads when it is online again', async ({
  page,
  sites,
  context,
  pageErrors,
}) => {
  pageErrors.allow(/ERR_INTERNET_DISCONNECTED/)
  const body =
    '<pi-checkout id="pay"><form slot="page"><button>Other page</button></form></pi-checkout>'
  await sites.openShop({ body })
  await waitForState(page, 'ready')
  await context.setOffline(true)
  await actInFrame(page, 'fail-internal')
  await waitForEvent(page, 'pi-error offline')
  await expect(page.getByRole('alert')).toContainText('You are offline')
  await expect(page.getByText('Other page')).toBeHidden()
  await context.setOffline(false)
  await waitForState(page, 'ready')
})
