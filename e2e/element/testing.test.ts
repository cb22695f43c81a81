import { fakeHostedPage, payWith } from '@pi-checkout/element/testing'
import type { Page } from '@playwright/test'
import { hostedPage } from '../fixtures/buyer.ts'
import { expect, mountDirectly, type Sites, test, waitForEvent } from '../fixtures/element-sites.ts'
import { test as hosted } from '../fixtures/hosted-form.ts'

/** What each outcome leads to: a result of the form, or a reason. */
const results = {
  succeeded: 'paid',
  challenge: 'paid',
  redirect: 'paid',
  stolen: 'failed',
  canceled: 'canceled',
  slow: 'processing',
  pending: 'processing',
  declined: /declined/,
  lost: /declined/,
  'insufficient-funds': /[Nn]ot enough money/,
  expired: /expired/,
  'wrong-cvc': /[Ww]rong security code/,
  'processing-error': /could not process/,
  'challenge-denied': /did not confirm/,
  'challenge-error': /could not confirm/,
  'challenge-canceled': /not finished/,
  'challenge-declined': /declined/,
  'challenge-insufficient-funds': /[Nn]ot enough money/,
  'challenge-unavailable': /could not confirm/,
} as const
const outcomes = Object.keys(results) as (keyof typeof results)[]

async function expectOutcome(page: Page, outcome: keyof typeof results): Promise<void> {
  const result = results[outcome]
  const form = hostedPage(page)
  if (result === 'processing') {
    await expect(form.getByRole('heading', { name: 'Processing your payment' })).toBeVisible()
  } else if (typeof result === 'string') {
    await expect(form.getByTestId('result')).toHaveAttribute('data-state', result)
  } else await expect(form.getByText(result).first()).toBeVisible()
}

const { html } = fakeHostedPage()
const openFake = ({ openShop }: Sites): Promise<void> =>
  openShop({ hosted: () => ({ body: html }) })

for (const outcome of outcomes) {
  test(`payWith ${outcome} ends on the fake page`, async ({ page, sites }) => {
    await openFake(sites)
    await payWith(page, outcome)
    await expectOutcome(page, outcome)
  })

  hosted(`payWith ${outcome} ends on the real page`, async ({ page, openForm }) => {
    await openForm()
    await payWith(page, outcome)
    await expectOutcome(page, outcome)
  })
}

test('payWith pays on the fake page after a decline', async ({ page, sites }) => {
  await openFake(sites)
  for (const outcome of ['declined', 'expired', 'challenge-denied'] as const) {
    await payWith(page, outcome)
  }
  await payWith(page, 'succeeded')
  await waitForEvent(page, 'pi-finish')
})

for (const outcome of ['succeeded', 'challenge', 'canceled'] as const) {
  test(`payWith ${outcome} works on a page that moves the checkout`, async ({ page, sites }) => {
    const move = `
      let distance = 0
      setInterval(() => (pay.style.marginBlockStart = (distance = 500 - distance) + 'px'), 15)`
    await sites.openShop({ script: mountDirectly + move, hosted: () => ({ body: html }) })
    await payWith(page, outcome)
    await waitForEvent(page, outcome === 'canceled' ? 'pi-cancel' : 'pi-finish')
  })
}

test('payWith rejects with the code of an element that shows no form', async ({ page, sites }) => {
  await sites.openShop({ script: mountDirectly.replace("'pi_1'", "'no id'") })
  await expect(payWith(page, 'succeeded')).rejects.toThrow(/invalid_values/)
})

test('the fake page never shows the secret', async ({ page, sites }) => {
  await openFake(sites)
  await waitForEvent(page, 'pi-ready')
  expect(await page.frames()[1]?.content()).not.toContain('pi_1_secret_x')
})
