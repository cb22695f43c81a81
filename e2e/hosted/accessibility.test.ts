import { payWith } from '@pi-checkout/element/testing'
import type { FrameLocator, Page } from '@playwright/test'
import { challengePage, fillCard, hostedPage, passChallenge } from '../fixtures/buyer.ts'
import {
  expect,
  expectAlert,
  expectResult,
  payOf,
  test,
  violationsIn,
} from '../fixtures/hosted-form.ts'

const colorSchemes = ['dark', 'light'] as const
const phone = { width: 320, height: 640 }

function scrollWidthOf(page: Page): Promise<number> {
  return hostedPage(page)
    .locator('html')
    .evaluate((html) => html.scrollWidth)
}

test('has no axe violations in any view, in light and dark colors', async ({ page, openForm }) => {
  test.slow()
  await page.setViewportSize(phone)
  await openForm()
  await page.evaluate("document.documentElement.style.colorScheme = 'light dark'")
  const form = hostedPage(page)
  const bank = challengePage(page)
  const look = async (frame: FrameLocator, view: string): Promise<void> => {
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme })
      expect(await violationsIn(frame), `${view} ${colorScheme}`).toEqual([])
    }
  }
  await form.getByTestId('sandbox-toggle').click()
  await payOf(page).click()
  await expect(form.getByText('Enter the whole card number.')).toBeVisible()
  await look(form, 'form with errors')
  await form.getByTestId('test-card-declined').click()
  await payOf(page).click()
  await expectAlert(page, 'declined')
  await look(form, 'declined')
  await fillCard(page, '4000000000003220')
  await payOf(page).click()
  await bank.getByLabel('Code').fill('1111')
  await bank.getByRole('button', { name: 'Confirm' }).click()
  await expect(bank.getByText('This code is wrong.')).toBeVisible()
  await expect(bank.getByLabel('Code')).toHaveAttribute('aria-invalid', 'true')
  await look(bank, 'bank')
  await look(form, 'challenge')
  await passChallenge(page)
  await expectResult(page, 'paid')
  await look(form, 'result')
})

test('the service’s other pages have no axe violations, and fit 320 pixels, in light and dark colors', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/404/)
  await page.setViewportSize(phone)
  for (const path of ['/', '/docs', '/nowhere', '/checkout/pi_none']) {
    await page.goto(stack.api.baseUrl + path)
    for (const colorScheme of colorSchemes) {
      await page.emulateMedia({ colorScheme })
      expect(await violationsIn(page), `${path} ${colorScheme}`).toEqual([])
    }
    expect(await page.evaluate('document.body.scrollWidth'), path).toBeLessThanOrEqual(320)
  }
})

test.describe('on a phone', () => {
  test.use({ viewport: phone })

  for (const [locale, label, declined] of [
    ['hy-AM', 'Քարտի համարը', 'Քարտը մերժվեց։'],
    ['ru', 'Номер карты', 'Карта отклонена.'],
    ['not a locale!', 'Card number', 'Your card was declined.'],
  ] as const) {
    test(`shows a shop in "${locale}" the closest language within 320 by 600 pixels, and 200 % text, also at the bank`, async ({
      page,
      openForm,
    }) => {
      await openForm({ properties: { locale } })
      await page.addStyleTag({ content: 'body { margin: 0 }' })
      const form = hostedPage(page)
      await expect(form.getByLabel(label)).toBeVisible()
      await payWith(page, 'declined')
      await expectAlert(page, declined)
      const { height = 999 } = (await form.locator('pi-hosted-page').boundingBox()) ?? {}
      expect(height).toBeLessThanOrEqual(600)
      expect(await scrollWidthOf(page)).toBeLessThanOrEqual(320)
      const controls = form.locator('button:visible, input:visible, summary')
      const heights = await controls.evaluateAll((all) =>
        all.map((control) => (control as HTMLElement).offsetHeight),
      )
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
      await form.locator('html').evaluate((html) => {
        html.style.fontSize = '200%'
      })
      await form.getByLabel(label).fill('')
      await payOf(page).click()
      await expect(form.locator('.error')).toBeVisible()
      expect(await scrollWidthOf(page)).toBeLessThanOrEqual(320)
      const [card, brands] = [form.locator('form.card'), form.locator('.brands svg').last()]
      const [outer, inner] = [await card.boundingBox(), await brands.boundingBox()]
      expect((inner?.x ?? 999) + (inner?.width ?? 0)).toBeLessThanOrEqual(
        (outer?.x ?? 0) + (outer?.width ?? 0),
      )

      // No word of the bank's button is broken, and its frame ends below it.
      await openForm({ properties: { locale } })
      await fillCard(page, '4000000000003220')
      await payOf(page).click()
      const confirm = challengePage(page).locator('form button')
      await expect(confirm).toHaveCount(1)
      for (const width of [320, 390]) {
        await page.setViewportSize({ ...phone, width })
        const lines = await confirm.evaluate((button) => {
          const range = document.createRange()
          range.selectNodeContents(button)
          return range.getClientRects().length
        })
        expect([width, lines]).toEqual([width, 1])
        const content = challengePage(page).locator('body')
        await expect.poll(() => content.evaluate((body) => innerHeight - body.clientHeight)).toBe(0)
      }
    })
  }

  test('wraps a long merchant name and order id, and a huge amount', async ({ page, openForm }) => {
    await page.route('**/checkout-api/session', async (route) => {
      const response = await route.fetch()
      const { intent, ...json } = await response.json()
      const merchantName = 'Wagenknecht & Söhne '.repeat(6)
      await route.fulfill({ response, json: { ...json, intent: { ...intent, merchantName } } })
    })
    await openForm({ fields: { amount: Number.MAX_SAFE_INTEGER, orderId: 'W'.repeat(32) } })
    await expect(hostedPage(page).getByRole('heading')).toContainText('Wagenknecht')
    expect(await scrollWidthOf(page)).toBeLessThanOrEqual(320)
  })
})

test('in forced colors, fields, focus, and Pay have borders', async ({ page, openForm }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await openForm()
  const form = hostedPage(page)
  await form.getByLabel('Card number').focus()
  const seen = await form.locator('form.card').evaluate((card) => {
    const ground = getComputedStyle(document.documentElement).backgroundColor
    const parts = [...card.querySelectorAll('input, .pay')]
    const [number] = card.querySelectorAll('input')
    return {
      bordered: parts.filter((part) => getComputedStyle(part).borderTopColor !== ground).length,
      focus: number && getComputedStyle(number).outlineStyle,
    }
  })
  expect(seen).toEqual({ bordered: 5, focus: 'solid' })
})
