import type { Page } from '@playwright/test'
import { challengePage, enterCode, fillCard, hostedPage } from '../fixtures/buyer.ts'
import { eventsOf, expect, expectAlert, payOf, test, valuesOf } from '../fixtures/hosted-form.ts'

interface Case {
  readonly number: string
  /** What the buyer does after Pay. */
  readonly next?: (page: Page) => Promise<void>
  /** Text of the focused message, or label and message of the focused field. */
  readonly focused: string | readonly [label: string, error: string]
}

const declines: Readonly<Record<string, Case>> = {
  'a decline': {
    number: '4000000000000002',
    focused: ['Card number', 'Your card was declined. Try another card.'],
  },
  'a wrong security code': {
    number: '4000000000000127',
    focused: ['Security code', 'Wrong security code.'],
  },
  'an expired card': {
    number: '4000000000000069',
    focused: ['Expiry date', 'Card has expired.'],
  },
  'a denied challenge': {
    number: '4000000000003220',
    next: (page) => enterCode(challengePage(page), '0000'),
    focused: 'Your bank did not confirm',
  },
  'a challenge that the buyer leaves': {
    number: '4000000000003220',
    next: (page) => hostedPage(page).getByRole('button', { name: 'Use another card' }).click(),
    focused: 'The confirmation was not finished',
  },
}

/** Pays, and expects the typed card and the focus on what is at fault. */
async function expectKept(page: Page, { number, next, focused }: Case): Promise<void> {
  const form = hostedPage(page)
  await fillCard(page, number)
  const typed = await valuesOf(page)
  await payOf(page).click()
  await next?.(page)
  if (typeof focused === 'string') {
    const notice = form.getByRole('alert')
    await expect(notice).toContainText(focused)
    await expect(notice).toBeFocused()
  } else {
    const [label, error] = focused
    const field = form.getByLabel(label)
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect(field).toHaveAccessibleDescription(error)
    await expect(field).toBeFocused()
    await expect(form.getByRole('alert')).toHaveText(error)
  }
  expect(await valuesOf(page)).toEqual(typed)
  expect((await eventsOf(page)).filter((event) => event === 'pi-ready')).toHaveLength(1)
}

test('keeps the card and focuses what is at fault after declines', async ({ page, openForm }) => {
  await openForm()
  for (const [name, decline] of Object.entries(declines)) {
    await test.step(name, () => expectKept(page, decline))
    // Nothing grows: the place of its text is reserved.
    const card = hostedPage(page).locator('pi-hosted-page')
    expect(await card.evaluate(({ clientHeight }) => clientHeight), name).toBe(532)
  }
  await fillCard(page, '4000000000000127')
  await payOf(page).click()
  await expectAlert(page, 'Wrong security code.')
  await page.reload()
  await expectAlert(page, 'Wrong security code.')
  await expect(hostedPage(page).locator('[aria-invalid=true]')).toHaveCount(0)
})
