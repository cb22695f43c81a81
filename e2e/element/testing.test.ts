import { fakeHostedPage, payWith } from '@pi-checkout/element/testing'
import type { Page } from '@playwright/test'
import { hostedPage } from '../fixtures/buyer.ts'
import { expect, mountDirectly, type Sites, test, waitForEvent } from '../fixtures/element-sites.ts'
import { test as hosted } from '../fixtures/hosted-form.ts'

/** Outcomes that end a payment, with the result that the page shows. */
const ends = {
  succeeded: 'paid',
  challenge: 'paid',
  redirect: 'paid',
  stolen: 'failed',
  canceled: 'canceled',
  slow: 'processing',
  pending: 'processing',
} as const

/** Outcomes that leave the form, with a reason. */
const declines = {
  declined: /declined/,
  'insufficient-funds': /[Nn]ot enough money/,
  expired: /expired/,
  'wrong-cvc': /[Ww]rong security code/,
  'processing-error': /could not process/,
  lost: /declined/,
  'challenge-denied': /did not confirm/,
  'challenge-error': /could not confirm/,
  'challenge-canceled': /not finished/,
  'challenge-declined': /declined/,
  'challenge-insufficient-funds': /[Nn]ot enough money/,
  'challenge-unavailable': /could not confirm/,
} as const

async function expectEnd(page: Page, result: string): Promise<void> {
  const form = hostedPage(page)
  if (result === 'processing') {
    await expect(form.getByRole('heading', { name: 'Processing your payment' })).toBeVisible()
  } else await expect(form.getByTestId('result')).toHaveAttribute('data-state', result)
}

/** Declines payments, of which an intent allows ten, and pays. */
async function declineEach(page: Page, open: () => Promise<unknown>): Promise<void> {
  for (const [at, outcome] of keysOf(declines).entries()) {
    if (at % 6 === 0) await open()
    await payWith(page, outcome)
    await expect(hostedPage(page).getByText(declines[outcome]).first()).toBeVisible()
  }
  await payWith(page, 'succeeded')
  await expectEnd(page, 'paid')
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[]
}

const { html } = fakeHostedPage()
const openFake = ({ openShop }: Sites): Promise<void> =>
  openShop({ hosted: () => ({ body: html }) })

for (const outcome of keysOf(ends)) {
  test(`payWith ${outcome} ends on the fake page`, async ({ page, sites }) => {
    await openFake(sites)
    await payWith(page, outcome)
    await expectEnd(page, ends[outcome])
  })

  hosted(`payWith ${outcome} ends on the real page`, async ({ page, openForm }) => {
    await openForm()
    await payWith(page, outcome)
    await expectEnd(page, ends[outcome])
  })
}

hosted('payWith canceled ends after a decline, too', async ({ page, openForm }) => {
  await openForm()
  await payWith(page, 'declined')
  await payWith(page, 'canceled')
  await expectEnd(page, 'canceled')
})

test('payWith returns after each decline of the fake page', async ({ page, sites }) => {
  await declineEach(page, () => openFake(sites))
})

hosted(
  'payWith returns after each decline of the real page, in any language',
  async ({ page, openForm }) => {
    await declineEach(page, openForm)
    await openForm({ properties: { locale: 'hy' } })
    await payWith(page, 'challenge')
    await expectEnd(page, 'paid')
  },
)

for (const outcome of ['challenge', 'canceled'] as const) {
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
