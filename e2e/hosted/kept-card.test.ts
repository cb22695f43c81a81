import type { Page } from '@playwright/test'
import { challengePage, enterCode, fillCard, hostedPage } from '../fixtures/buyer.ts'
import { eventsOf, expect, expectAlert, payOf, test, valuesOf } from '../fixtures/hosted-form.ts'

interface Case {
  readonly number: string
  /** Makes the request to confirm fail. */
  readonly failure?: { readonly status: number; readonly json: object } | 'lost'
  /** What the buyer does after Pay. */
  readonly next?: (page: Page) => Promise<void>
  /** Text of the focused message, or label and error of the focused field. */
  readonly focused: string | readonly [label: string, error: string]
}

const again = 'No payment has been made so far'

const cases: Readonly<Record<string, Case>> = {
  'a decline': { number: '4000000000000002', focused: 'Your card was declined' },
  'a wrong security code': {
    number: '4000000000000127',
    focused: ['Security code', 'Wrong security code.'],
  },
  'an expired card': {
    number: '4000000000000069',
    focused: ['Expiry date', 'This card has expired.'],
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
  'a lost connection': {
    number: '4242424242424242',
    failure: 'lost',
    next: passRetries,
    focused: again,
  },
  'a server error': {
    number: '4242424242424242',
    failure: { status: 503, json: { status: 503 } },
    next: passRetries,
    focused: again,
  },
}

for (const [name, { number, failure, next, focused }] of Object.entries(cases)) {
  test(`keeps the card and focuses what is at fault after ${name}`, async ({
    page,
    openForm,
    pageErrors,
  }) => {
    pageErrors.allow(/Failed to load resource|pi-checkout: /)
    if (failure) await page.clock.install()
    await openForm()
    const form = hostedPage(page)
    await fillCard(page, number)
    const typed = await valuesOf(page)
    if (failure) {
      await page.route('**/checkout-api/confirm', (route) =>
        failure === 'lost' ? route.abort() : route.fulfill(failure),
      )
    }
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
      await expect(form.getByRole('alert')).toHaveText('')
    }
    expect(await valuesOf(page)).toEqual(typed)
    expect((await eventsOf(page)).filter((event) => event === 'pi-ready')).toHaveLength(1)
    // Nothing grows after a decline: the place of its text is reserved.
    if (failure) return
    expect(await form.locator('pi-hosted-page').evaluate((card) => card.clientHeight)).toBe(532)
  })
}

/** Lets the pauses between the attempts to confirm pass. */
async function passRetries(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      await page.clock.runFor(1000)
      return payOf(page).getAttribute('aria-disabled')
    })
    .toBe('false')
}

test('keeps card, focus, and caret when the language changes', async ({ page, openForm }) => {
  await openForm()
  await fillCard(page, '4242424242424242')
  const typed = await valuesOf(page)
  const name = hostedPage(page).locator('#card-name')
  await name.evaluate((input: HTMLInputElement) => {
    input.focus()
    input.setSelectionRange(3, 3)
  })
  for (const [locale, label] of [
    ['ru', 'Имя на карте'],
    ['hy', 'Անունը քարտի վրա'],
  ] as const) {
    await page.evaluate(`document.querySelector('pi-checkout').locale = '${locale}'`)
    await expect(hostedPage(page).getByLabel(label)).toBeFocused()
    expect(await valuesOf(page)).toEqual(typed)
    expect(await name.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(3)
  }
})

test('unmarks a field at fault once the buyer corrects it', async ({ page, openForm }) => {
  await openForm()
  await fillCard(page, '4000000000000127')
  await payOf(page).click()
  const code = hostedPage(page).getByLabel('Security code')
  await expect(code).toHaveAttribute('aria-invalid', 'true')
  await code.blur()
  await expect(code).toHaveAttribute('aria-invalid', 'true')
  await code.fill('456')
  await expect(code).toHaveAttribute('aria-invalid', 'false')
  await expect(hostedPage(page).getByRole('alert')).toHaveText('')
})

test('marks no empty field after the page was loaded again', async ({ page, openForm }) => {
  await openForm()
  await fillCard(page, '4000000000000127')
  await payOf(page).click()
  await expect(hostedPage(page).getByText('Wrong security code.')).toBeVisible()
  await page.reload()
  await expectAlert(page, 'Wrong security code.')
  await expect(hostedPage(page).locator('[aria-invalid=true]')).toHaveCount(0)
})
