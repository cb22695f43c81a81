import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BackOfficeData } from '../../server/page-data.ts'
import { formReady, openBrowser, openCheckout, openShop, stack } from './shop-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('shows a lost response as attempt 2 with the same key, and one intent', async () => {
  const { page, close } = await openShop()
  const orderId = await openCheckout(page)
  await openInspector(page)
  await Promise.all([page.waitForEvent('load'), page.getByTestId('lose-response').click()])
  await formReady(page)
  await openInspector(page)
  const steps = page.getByTestId('step')
  await steps.filter({ hasText: 'attempt 2' }).waitFor()
  const creates = await steps.filter({ hasText: 'Idempotency-Key' }).allTextContents()
  expect(creates.map((text) => /attempt \d/.exec(text)?.[0])).toEqual([
    'attempt 1',
    'attempt 1',
    'attempt 2',
  ])
  const keys = creates.map((text) => /Idempotency-Key (\S+)/.exec(text)?.[1])
  expect(new Set(keys).size).toBe(1)
  expect(await intentsOf(orderId)).toHaveLength(1)
  await close()
})

test('shows field names and no secret', async () => {
  const { page, close } = await openShop()
  const received = page.waitForResponse('**/checkout/handoff')
  const orderId = await openCheckout(page)
  const { clientSecret } = await (await received).json()
  const trace = await (await page.request.get(`/api/trace/${orderId}`)).text()
  expect(trace).toContain('the page received: id, clientSecret')
  expect(trace).not.toContain(clientSecret)
  expect(trace).not.toContain(stack.apiKey)
  await close()
})

/** Opens it without a click, which misses it while the checkout above becomes taller. */
async function openInspector(page: Page): Promise<void> {
  await page.getByTestId('inspector').evaluate((details) => details.setAttribute('open', ''))
}

async function intentsOf(orderId: string): Promise<BackOfficeData['orders'][number]['intents']> {
  const [, token = ''] = stack.adminUrl.split('#')
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${stack.shopUrl}/admin/data`, { headers })
  const { orders } = (await answer.json()) as BackOfficeData
  return orders.find(({ id }) => id === orderId)?.intents ?? []
}
