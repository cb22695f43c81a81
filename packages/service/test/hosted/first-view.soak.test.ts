import { FIRST_VIEW } from '@pi-checkout/contract/frame-protocol'
import type { FrameLocator } from '@playwright/test'
import { expect, test } from 'vitest'
import { openShop, startBrowserStack } from './browser.ts'

const stack = await startBrowserStack()

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

for (const environmentId of ['env_test', 'env_live']) {
  test(`fills the reserved height with form and skeleton at every width, ${environmentId}`, async () => {
    for (const locale of ['en', 'hy', 'ru']) {
      const pair = await stack.checkout.createIntent({ environmentId })
      const { page, frame } = await openShop(stack, { pair, query: { locale } })
      for (const width of [320, 390, 479, 480, 600, 735, 736, 1100]) {
        await page.setViewportSize({ width, height: 800 })
        const shown = await placesIn(frame, 'form')
        const reserved = await placesIn(frame, 'skeleton')
        expect(shown[0], `${locale} ${width}`).toBe(FIRST_VIEW)
        expect(reserved, `${locale} ${width}`).toEqual(shown)
      }
    }
  })
}
