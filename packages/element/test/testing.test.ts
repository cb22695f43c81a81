import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import { fakeHostedPage, type PaymentOutcome, payWith } from '../src/testing/index.ts'

test('payWith rejects an unknown outcome with the list of known ones', async () => {
  const page = {} as Page
  await expect(payWith(page, 'sucess' as PaymentOutcome)).rejects.toThrow(
    /^outcome: must be one of succeeded, declined,/,
  )
})

test('the fake has a fetch handler for any server', async () => {
  const { fetch, html } = fakeHostedPage()
  const page = await fetch(new Request('https://pay.example/checkout/pi_1'))
  const other = await fetch(new Request('https://pay.example/elsewhere'))
  expect([page.status, await page.text(), other.status]).toEqual([200, html, 404])
})
