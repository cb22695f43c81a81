import type { Page } from '@playwright/test'
import { fillCard, hostedPage } from '../fixtures/buyer.ts'
import { eventsOf, expect, test } from '../fixtures/hosted-form.ts'

test('shows the appearance in the first view, and follows its change and the color scheme', async ({
  page,
  openForm,
}) => {
  const appearance = { accent: '#ad4318', background: '#fffdf9' }
  await openForm({ properties: { appearance } })
  expect(await lookOf(page)).toEqual({
    background: 'rgb(255, 253, 249)',
    pay: 'rgb(173, 67, 24)',
    label: 'rgb(255, 255, 255)',
  })
  await fillCard(page, '4242424242424242')
  const accent = { light: '#ffcc00', dark: '#f19a58' }
  await change(page, { accent })
  await page.evaluate("document.documentElement.style.colorScheme = 'light dark'")
  // The button changes its color slowly.
  const light = { background: 'rgb(255, 255, 255)', pay: 'rgb(255, 204, 0)', label: 'rgb(0, 0, 0)' }
  await expectLook(page, light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectLook(page, { pay: 'rgb(241, 154, 88)', background: 'rgb(21, 24, 29)' })
  await change(page, { accent, colorScheme: 'light' })
  await expectLook(page, light)
  await change(page, null)
  await expectLook(page, { pay: 'rgb(137, 149, 255)' })
  await expect(hostedPage(page).getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
  expect((await eventsOf(page)).filter((event) => event === 'pi-ready')).toHaveLength(1)
})

test('reports a wrong value of the appearance, and keeps the others', async ({
  page,
  openForm,
  pageErrors,
}) => {
  pageErrors.allow(/^(?:error|warning): pi-checkout: appearance\.background: must be/)
  const report = page.waitForEvent('console', (line) => /appearance\.background/.test(line.text()))
  await openForm({ properties: { appearance: { accent: '#ad4318', background: '0; color: red' } } })
  await report
  await expectLook(page, { pay: 'rgb(173, 67, 24)' })
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
