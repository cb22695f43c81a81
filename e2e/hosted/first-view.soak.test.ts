import type { Page } from '@playwright/test'
import { hostedPage } from '../fixtures/buyer.ts'
import { expect, payOf, test } from '../fixtures/hosted-form.ts'

const inner = (page: Page) => () =>
  hostedPage(page)
    .locator('html')
    .evaluate(() => innerWidth)

/** What the element reserves for the first view, in CSS pixels. */
const firstView = 532

for (const environment of ['test', 'live'] as const) {
  test(`fills the reserved height at every width, ${environment}`, async ({ page, openForm }) => {
    for (const locale of ['en', 'hy', 'ru']) {
      await openForm({ environment, properties: { locale } })
      await page.addStyleTag({ content: 'body { margin: 0 }' })
      const form = hostedPage(page).locator('.page')
      for (const width of [320, 390, 479, 480, 600, 735, 736, 1100]) {
        await page.setViewportSize({ width, height: 800 })
        await expect.poll(inner(page)).toBe(width)
        expect(await form.evaluate((all) => all.clientHeight), `${locale} ${width}`).toBe(firstView)
      }
      await page.setViewportSize({ width: 390, height: 844 })
      const parts = hostedPage(page).locator('input, .pay, .sandbox')
      const tops = (): Promise<number[]> =>
        parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect().top))
      await expect.poll(inner(page)).toBe(390)
      const before = await tops()
      await payOf(page).click()
      await expect(hostedPage(page).locator('.error')).toHaveCount(3)
      expect(await tops(), locale).toEqual(before)
      expect(await form.evaluate((all) => all.clientHeight), locale).toBe(firstView)
    }
  })
}
