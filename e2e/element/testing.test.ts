import { fakeHostedPage, payWith } from '@pi-checkout/element/testing'
import { control } from '@pi-checkout/test-support/sandbox'
import type { Page } from '@playwright/test'
import { hostedPage } from '../fixtures/buyer.ts'
import {
  configure,
  expect,
  mountDirectly,
  type Sites,
  test,
  waitForEvent,
} from '../fixtures/element-sites.ts'
import { eventsOf, test as hosted } from '../fixtures/hosted-form.ts'

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
let opened = 0
/** Opens the fake page of another intent: it keeps what it knows of one. */
const openFake = ({ openShop }: Sites, script = ''): Promise<void> =>
  openShop({
    script: mountDirectly.replaceAll('pi_1', `pi_${++opened}`) + script,
    hosted: () => ({ body: html }),
  })

test('payWith ends each outcome of the fake page without the secret', async ({ page, sites }) => {
  for (const outcome of keysOf(ends)) {
    await test.step(outcome, async () => {
      await openFake(sites)
      await payWith(page, outcome)
      await expectEnd(page, ends[outcome])
      expect(await page.frames()[1]?.content()).not.toContain('_secret_x')
    })
  }
})

test('payWith pays on the fake page without storage, as a challenge too', async ({
  page,
  sites,
}) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'sessionStorage', {
      get: () => {
        throw new DOMException('denied', 'SecurityError')
      },
    })
  })
  for (const outcome of ['succeeded', 'challenge'] as const) {
    await openFake(sites)
    await payWith(page, outcome)
    await expectEnd(page, 'paid')
  }
})

test('payWith returns after each decline of the fake page', async ({ page, sites }) => {
  await declineEach(page, () => openFake(sites))
})

for (const outcome of keysOf(ends)) {
  hosted(`payWith ${outcome} ends on the real page`, async ({ page, openForm, stack }) => {
    const { id } = await openForm()
    await payWith(page, outcome)
    await expectEnd(page, ends[outcome])
    if (outcome === 'stolen') {
      // Not what to do about a decline that leaves the form open.
      await expect(hostedPage(page).locator('.settled [role=status]')).toHaveText([
        'Your card was declined. You were not charged.',
        '',
      ])
    }
    if (outcome === 'pending') {
      // The open page shows the result.
      await control(stack, `/intents/${id}/settle`, { outcome: 'succeeded' })
      await expectEnd(page, 'paid')
      await waitForEvent(page, 'pi-finish')
    }
    if (outcome !== 'succeeded' && outcome !== 'canceled') return
    await waitForEvent(page, outcome === 'canceled' ? 'pi-cancel' : 'pi-finish')
    await page.reload()
    await waitForEvent(page, 'pi-finish')
    await expectEnd(page, ends[outcome])
    const events = ['pi-statechange loading', 'pi-statechange finished', 'pi-finish']
    expect(await eventsOf(page)).toEqual(events)
  })
}

hosted('payWith returns after each decline of the real page', async ({ page, openForm }) => {
  await declineEach(page, openForm)
})

hosted('payWith pays in any language, and cancels after a decline', async ({ page, openForm }) => {
  await openForm({ properties: { locale: 'hy' } })
  await payWith(page, 'challenge')
  await expectEnd(page, 'paid')
  await openForm()
  await payWith(page, 'declined')
  await payWith(page, 'canceled')
  await expectEnd(page, 'canceled')
})

test('payWith finds a form that moves, and rejects without one', async ({ page, sites }) => {
  const move = `
    let distance = 0
    setInterval(() => (pay.style.marginBlockStart = (distance = 500 - distance) + 'px'), 15)`
  for (const [outcome, event] of [
    ['challenge', 'pi-finish'],
    ['canceled', 'pi-cancel'],
  ] as const) {
    await openFake(sites, move)
    await payWith(page, outcome)
    await waitForEvent(page, event)
  }
  const unusable = "pay.fetchHandoff = async () => ({ id: 'no id', clientSecret: 'x' })"
  await sites.openShop({ script: `${configure}; ${unusable}` })
  await expect(payWith(page, 'succeeded')).rejects.toThrow(/handoff_failed/)
})
