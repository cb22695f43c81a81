import { payWith } from '@pi-checkout/element/testing'
import type { Page } from '@playwright/test'
import { expectOrder, openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/world.ts'

test('the page is handed exactly id and clientSecret, and no key reaches the browser', async ({
  page,
  world,
}) => {
  const traffic = record(page)
  const handoff = await openCheckout(page)
  expect(Object.keys(handoff)).toEqual(['id', 'clientSecret'])
  await payWith(page, 'success')
  await expectOrder(page, 'paid')

  const { apiKey, adminToken } = world.api
  const seen = await traffic()
  for (const key of [apiKey, adminToken])
    expect(seen.some((text) => text.includes(key))).toBe(false)
})

test('the secret is in no URL, no DOM, no storage, no cookie that scripts can read, and no log', async ({
  page,
  world,
}) => {
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url(), request.headers().referer ?? ''))
  const consoleLines: string[] = []
  page.on('console', (line) => consoleLines.push(line.text()))

  const { clientSecret } = await openCheckout(page)
  const places = await page.evaluate(() => {
    const html = (root: Document | ShadowRoot): string =>
      [...root.querySelectorAll('*')]
        .map((node) => node.outerHTML + (node.shadowRoot ? html(node.shadowRoot) : ''))
        .join('')
    return [
      html(document),
      JSON.stringify(performance.getEntries()),
      JSON.stringify({ ...localStorage, ...sessionStorage }),
      document.cookie,
      window.name,
      JSON.stringify(history.state),
    ]
  })
  await payWith(page, 'success')
  await expectOrder(page, 'paid')

  const secret = clientSecret.slice(clientSecret.indexOf('_secret_'))
  const logs = [...world.service.log, ...world.shop.log]
  for (const text of [...places, ...urls, ...consoleLines, ...logs])
    expect(text).not.toContain(secret)
})

/** Keeps every header and body that the page is sent, until it is asked for. */
function record(page: Page): () => Promise<string[]> {
  const answers: Promise<string>[] = []
  // Of requests that came to their end: a poll that its page left behind never does.
  page.on('requestfinished', (request) => {
    const answer = request.response().then(async (response) => {
      const body = await response?.text().catch(() => '')
      return body + JSON.stringify(response?.headers())
    })
    answers.push(answer)
  })
  return () => Promise.all(answers)
}
