import type { Page } from '@playwright/test'
import { fillCard, hostedPage } from '../fixtures/buyer.ts'
import { expect, payOf, test } from '../fixtures/hosted-form.ts'
import type { Api } from '../fixtures/merchant.ts'
import type { TestSite } from '../fixtures/test-site.ts'
import type { Stack } from '../fixtures/test-stack.ts'

const inner = (page: Page) => () =>
  hostedPage(page)
    .locator('html')
    .evaluate(() => innerWidth)

/** What the element reserves for the first view, in CSS pixels. */
const firstView = 532

/** Returns the live environment of the merchant, with the shop's origin. */
async function liveEnvironment({ api, administer }: Stack, shop: TestSite): Promise<Api> {
  const environment = ['--environment', 'live']
  const key = await administer('keys', 'create', '--merchant', 'Tsiran', ...environment)
  await administer('origins', 'add', shop.origin, ...environment)
  return { api: { ...api, apiKey: JSON.parse(key).apiKey } }
}

for (const environment of ['test', 'live'] as const) {
  test(`fills the reserved height at every width, ${environment}`, async ({
    page,
    stack,
    plainShop,
    openForm,
  }) => {
    const service = environment === 'live' ? await liveEnvironment(stack, plainShop) : stack
    for (const locale of ['en', 'hy', 'ru']) {
      await openForm({ service, properties: { locale } })
      await page.addStyleTag({ content: 'body { margin: 0 }' })
      const form = hostedPage(page).locator('.page')
      for (const width of [320, 390, 479, 480, 600, 735, 736, 1100]) {
        await page.setViewportSize({ width, height: 800 })
        await expect.poll(inner(page)).toBe(width)
        expect(await form.evaluate((all) => all.clientHeight), `${locale} ${width}`).toBe(firstView)
      }
      const parts = hostedPage(page).locator('input, .pay, .sandbox')
      const tops = async (): Promise<number[][]> => {
        const found: number[][] = []
        for (const width of [320, 390]) {
          await page.setViewportSize({ width, height: 844 })
          await expect.poll(inner(page)).toBe(width)
          expect(await form.evaluate((all) => all.clientHeight), locale).toBe(firstView)
          found.push(
            await parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect().top)),
          )
        }
        return found
      }
      const before = await tops()
      // Each error has the one line that is reserved for it.
      await payOf(page).click()
      await expect(hostedPage(page).locator('.error')).toHaveCount(3)
      expect(await tops(), locale).toEqual(before)
      await fillCard(page, '4242424242424242')
      await hostedPage(page).locator('#card-expiry').fill('01 / 20')
      await payOf(page).click()
      await expect(hostedPage(page).locator('.error')).toHaveCount(1)
      expect(await tops(), locale).toEqual(before)
    }
  })
}
