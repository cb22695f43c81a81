import type { Page } from '@playwright/test'
import { challengePage, enterCode, fillCard, hostedPage } from '../fixtures/buyer.ts'
import { eventsOf, expect, expectAlert, payOf, test, valuesOf } from '../fixtures/hosted-form.ts'

const deny = (page: Page): Promise<void> => enterCode(challengePage(page), '0000')
const leave = (page: Page): Promise<void> =>
  hostedPage(page).getByRole('button', { name: 'Use another card' }).click()

/** A card, the field that is at fault, what the page says, and what the buyer does after Pay. */
const declines = [
  ['4000000000000002', 'Card number', 'Your card was declined. Try another card.'],
  ['4000000000000127', 'Security code', 'Wrong security code. Check it and try again.'],
  ['4000000000000069', 'Expiry date', 'Card has expired.'],
  ['4000000000003220', undefined, 'Your bank did not confirm', deny],
  ['4000000000003220', undefined, 'The confirmation was not finished', leave],
] as const

test('keeps the card and focuses what is at fault after declines', async ({ page, openForm }) => {
  await openForm()
  const form = hostedPage(page)
  const notice = form.getByRole('alert')
  for (const [number, label, text, next] of declines) {
    await test.step(text, async () => {
      await fillCard(page, number)
      const typed = await valuesOf(page)
      await payOf(page).click()
      await next?.(page)
      await expectAlert(page, text)
      if (label) {
        const field = form.getByLabel(label)
        await expect(field).toHaveAttribute('aria-invalid', 'true')
        await expect(field).toHaveAccessibleDescription(text)
        await expect(field).toBeFocused()
        await expect(notice).toHaveText(text)
      } else await expect(notice).toBeFocused()
      expect(await valuesOf(page)).toEqual(typed)
      expect((await eventsOf(page)).filter((event) => event === 'pi-ready')).toHaveLength(1)
      // Nothing grows: the place of its text is reserved.
      const card = form.locator('pi-hosted-page')
      expect(await card.evaluate(({ clientHeight }) => clientHeight)).toBe(532)
    })
  }
  await fillCard(page, '4000000000000127')
  await payOf(page).click()
  await expectAlert(page, 'Wrong security code. Check it and try again.')
  await page.reload()
  await expectAlert(page, 'Wrong security code. Check it and try again.')
  await expect(form.locator('[aria-invalid=true]')).toHaveCount(0)
})
