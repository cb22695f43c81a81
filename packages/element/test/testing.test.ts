import { expect, test } from 'vitest'
import { fakeHostedPage, type PaymentOutcome, payWith } from '../src/testing/index.ts'
import { eventsOf, mountDirectly, startSites, waitForEvent } from './support/sites.ts'

const sites = startSites()

test.each<[PaymentOutcome, string]>([
  ['succeeded', 'paid'],
  ['challenge', 'paid'],
  ['stolen', 'failed'],
  ['slow', 'processing'],
  ['pending', 'processing'],
])('payWith %s ends with the result "%s"', async (outcome, state) => {
  const page = await sites.openShop()
  await payWith(page, outcome)
  await waitForEvent(page, 'pi-finish')
  const result = page.frameLocator('iframe').getByTestId('result')
  expect(await result.getAttribute('data-state')).toBe(state)
})

test.each<PaymentOutcome>([
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
])('payWith %s shows the reason, and a second call pays', async (outcome) => {
  const page = await sites.openShop()
  await payWith(page, outcome)
  expect(await eventsOf(page)).not.toContain('pi-finish')
  await payWith(page, 'succeeded')
  await waitForEvent(page, 'pi-finish')
})

test('payWith canceled presses Cancel payment', async () => {
  const page = await sites.openShop()
  await payWith(page, 'canceled')
  await waitForEvent(page, 'pi-cancel')
})

test.each<PaymentOutcome>(['succeeded', 'challenge', 'canceled'])(
  'payWith %s works on a page that moves the checkout',
  async (outcome) => {
    const move = `
      let distance = 0
      setInterval(() => (pay.style.marginBlockStart = (distance = 500 - distance) + 'px'), 15)`
    const page = await sites.openShop({ script: mountDirectly + move })
    await payWith(page, outcome)
    await waitForEvent(page, outcome === 'canceled' ? 'pi-cancel' : 'pi-finish')
  },
)

test('payWith rejects with the code of an element that shows no form', async () => {
  const page = await sites.openShop({ script: mountDirectly.replace("'pi_1'", "'no id'") })
  await expect(payWith(page, 'succeeded')).rejects.toThrow(/invalid_values/)
})

test('payWith rejects an unknown outcome with the list of known ones', async () => {
  const page = await sites.openShop()
  await expect(payWith(page, 'sucess' as PaymentOutcome)).rejects.toThrow(
    /^outcome: must be one of succeeded, declined,/,
  )
})

test('the fake has a fetch handler for any server', async () => {
  const { fetch, html } = fakeHostedPage()
  const page = await fetch(new Request('https://pay.example/checkout/pi_1'))
  expect([page.status, await page.text()]).toEqual([200, html])
  const other = await fetch(new Request('https://pay.example/elsewhere'))
  expect(other.status).toBe(404)
})

test('the fake shows that a secret arrived, not the secret', async () => {
  const page = await sites.openShop()
  await waitForEvent(page, 'pi-ready')
  expect(await page.frames()[1]?.content()).not.toContain('pi_1_secret_x')
})

test('a step cannot end the script of the fake', () => {
  const { html } = fakeHostedPage({ steps: [{ fail: '</script><script>alert(1)' }] })
  expect(html).not.toContain('</script><script>')
})
