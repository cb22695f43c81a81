import { type PaymentOutcome, payWith } from '@pi-checkout/element/testing'
import { eventsOf, expect, mountDirectly, test, waitForEvent } from '../fixtures/element-sites.ts'

for (const [outcome, state] of [
  ['succeeded', 'paid'],
  ['challenge', 'paid'],
  ['stolen', 'failed'],
  ['slow', 'processing'],
  ['pending', 'processing'],
] as const) {
  test(`payWith ${outcome} ends with the result "${state}"`, async ({ page, sites }) => {
    await sites.openShop()
    await payWith(page, outcome)
    await waitForEvent(page, 'pi-finish')
    const result = page.frameLocator('iframe').getByTestId('result')
    await expect(result).toHaveAttribute('data-state', state)
  })
}

const declines: readonly PaymentOutcome[] = [
  'declined',
  'insufficient-funds',
  'lost',
  'expired',
  'wrong-cvc',
  'processing-error',
  'challenge-denied',
  'challenge-error',
  'challenge-canceled',
  'challenge-declined',
  'challenge-insufficient-funds',
  'challenge-unavailable',
]

test('payWith shows the reason of each decline, and a further call pays', async ({
  page,
  sites,
}) => {
  await sites.openShop()
  const reason = page.frameLocator('iframe').getByRole('alert')
  for (const outcome of declines) {
    await payWith(page, outcome)
    await expect(reason, outcome).toHaveText('Your card was declined.')
  }
  expect(await eventsOf(page)).not.toContain('pi-finish')
  await payWith(page, 'succeeded')
  await waitForEvent(page, 'pi-finish')
})

for (const outcome of ['succeeded', 'challenge', 'canceled'] as const) {
  test(`payWith ${outcome} works on a page that moves the checkout`, async ({ page, sites }) => {
    const move = `
      let distance = 0
      setInterval(() => (pay.style.marginBlockStart = (distance = 500 - distance) + 'px'), 15)`
    await sites.openShop({ script: mountDirectly + move })
    await payWith(page, outcome)
    await waitForEvent(page, outcome === 'canceled' ? 'pi-cancel' : 'pi-finish')
  })
}

test('payWith rejects with the code of an element that shows no form', async ({ page, sites }) => {
  await sites.openShop({ script: mountDirectly.replace("'pi_1'", "'no id'") })
  await expect(payWith(page, 'succeeded')).rejects.toThrow(/invalid_values/)
})

test('the fake shows that a secret arrived, not the secret', async ({ page, sites }) => {
  await sites.openShop()
  await waitForEvent(page, 'pi-ready')
  expect(await page.frames()[1]?.content()).not.toContain('pi_1_secret_x')
})
