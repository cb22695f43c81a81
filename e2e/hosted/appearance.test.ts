import type { Page } from '@playwright/test'
import { fillCard, hostedPage } from '../fixtures/buyer.ts'
import { eventsOf, expect, test } from '../fixtures/hosted-form.ts'

test('shows the appearance in the first view, follows its change and the color scheme, and ignores hostile values', async ({
  page,
  openForm,
  pageErrors,
}) => {
  pageErrors.allow(/^(?:error|warning): pi-checkout: appearance\./)
  const requests: string[] = []
  const printed: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('console', (line) => printed.push(line.text()))
  const appearance = { accent: '#ad4318', background: '#fffdf9' }
  await openForm({ properties: { appearance } })
  expect(await lookOf(page)).toEqual({
    background: 'rgb(255, 253, 249)',
    pay: 'rgb(173, 67, 24)',
    label: 'rgb(255, 255, 255)',
  })

  await fillCard(page, '4242424242424242')
  await change(page, null)
  // The button changes its color slowly.
  await expectLook(page, { background: 'rgb(255, 255, 255)', pay: 'rgb(51, 70, 211)' })
  const before = await lookOf(page)
  await change(page, { accent: '#ffcc00', background: '#101010' })
  await expectLook(page, {
    background: 'rgb(16, 16, 16)',
    pay: 'rgb(255, 204, 0)',
    label: 'rgb(0, 0, 0)',
  })
  await expect(hostedPage(page).getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  expect((await eventsOf(page)).filter((event) => event === 'pi-ready')).toHaveLength(1)
  await change(page, null)
  await expectLook(page, before)

  // What is no token is kept out, and reported in a test environment. A valid color is kept.
  await change(page, {
    css: '@import "//evil.example"',
    background: 'url(https://evil.example/a.png)',
    accent: '#ad4318',
  })
  await expect
    .poll(() => printed.map((line) => line.slice(0, 34)))
    .toEqual(['pi-checkout: appearance.css: is no', 'pi-checkout: appearance.background'])
  await expectLook(page, { ...before, pay: 'rgb(173, 67, 24)' })
  expect(requests.filter((url) => url.includes('evil'))).toEqual([])
  await hostedPage(page)
    .locator('html')
    .evaluate((html) => {
      html.dataset.mode = 'live'
    })
  await change(page, { background: '#777' })
  await change(page, { background: '#101010' })
  await expectLook(page, { background: 'rgb(16, 16, 16)' })
  expect(printed).toHaveLength(2)

  const accent = { light: '#ad4318', dark: '#f19a58' }
  await change(page, { accent })
  await page.evaluate("document.documentElement.style.colorScheme = 'light dark'")
  await expectLook(page, { pay: 'rgb(173, 67, 24)' })
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectLook(page, { pay: 'rgb(241, 154, 88)', background: 'rgb(21, 24, 29)' })
  await change(page, { accent, colorScheme: 'light' })
  await expectLook(page, { pay: 'rgb(173, 67, 24)', background: 'rgb(255, 255, 255)' })
})

test('has the dram sign with its first amount, without a font file', async ({ page, openForm }) => {
  await page.route(/\.woff2$/, () => {})
  await openForm({ fields: { currency: 'AMD' } })
  await expect(hostedPage(page).getByTestId('amount')).toContainText('֏')
  const fonts = '[...document.fonts].map(({ family, status }) => family + status)'
  expect(await hostedPage(page).locator('html').evaluate(fonts)).toEqual(['Dramloaded'])
})

async function change(page: Page, appearance: Record<string, unknown> | null): Promise<void> {
  await page.locator('pi-checkout').evaluate((element, value) => {
    Object.assign(element, { appearance: value })
  }, appearance)
}

async function expectLook(page: Page, look: Record<string, unknown>): Promise<void> {
  await expect.poll(() => lookOf(page)).toMatchObject(look)
}

/** Returns the computed styles of the page and the pay button. */
function lookOf(page: Page): Promise<Record<string, unknown>> {
  return hostedPage(page)
    .locator('html')
    .evaluate((html) => {
      const pay = getComputedStyle(html.querySelector('.pay') ?? html)
      return {
        background: getComputedStyle(html).backgroundColor,
        pay: pay.backgroundColor,
        label: pay.color,
      }
    })
}
