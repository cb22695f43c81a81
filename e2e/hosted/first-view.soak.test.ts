import type { FrameLocator, Page } from '@playwright/test'
import { hostedPage } from '../fixtures/buyer.ts'
import { expect, payOf, test } from '../fixtures/hosted-form.ts'

/**
 * Returns the height of the skeleton or the form, and where fields and buttons begin, in whole pixels. Shows the
 * skeleton for it.
 */
async function placesIn(frame: FrameLocator, page: 'skeleton' | 'form'): Promise<number[]> {
  return await frame.locator('html').evaluate(`{
    const [skeleton, form] = ['.skeleton', 'pi-hosted-page'].map((name) => document.querySelector(name))
    const page = ${page}
    if (page === skeleton) skeleton.style.display = 'grid'
    form.hidden = page === skeleton
    const places = page.querySelectorAll('.input, .action, input, .pay')
    const tops = [...places].map((place) => Math.round(place.getBoundingClientRect().top))
    const { height } = page.getBoundingClientRect()
    skeleton.style.display = ''
    form.hidden = false
    ;[height, ...tops]
  }`)
}

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
      for (const width of [320, 390, 479, 480, 600, 735, 736, 1100]) {
        await page.setViewportSize({ width, height: 800 })
        await expect.poll(inner(page)).toBe(width)
        const shown = await placesIn(hostedPage(page), 'form')
        const reserved = await placesIn(hostedPage(page), 'skeleton')
        expect(shown[0], `${locale} ${width}`).toBe(firstView)
        expect(reserved, `${locale} ${width}`).toEqual(shown)
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
      const form = hostedPage(page).locator('.page:not(.skeleton)')
      expect(await form.evaluate((all) => all.clientHeight), locale).toBe(firstView)
    }
  })
}
