import { readFrom } from '../fixtures/attacker-site.ts'
import { openCheckout } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/cross-site-stack.ts'
import { control, environmentPath } from '../fixtures/sandbox.ts'

test('rejects a page that calls the API with a secret key (threat 1)', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/./)
  stack.attacker.serve('/', '')
  await page.goto(stack.attacker.origin)
  const url = `${stack.api.baseUrl}/payment-intents`
  const headers = { authorization: `Bearer ${stack.api.apiKey}` }
  const read = await readFrom(page, [
    [`${url}/pi_111111111111111111111111`, { headers }],
    [url, { method: 'POST', mode: 'no-cors', body: '{}' }],
    [`${url}/pi_222222222222222222222222`, { mode: 'cors' }],
  ])
  // Not even an opaque response: its resource policy is same-origin.
  expect(read).toEqual(['unreadable', 'unreadable', 'unreadable'])
  // The browser does not report what it withheld from the page; the service's request log does.
  const environment = await environmentPath(stack)
  const logged = async (): Promise<readonly string[]> => {
    const { requests } = await control<{ requests: Record<string, string>[] }>(
      stack,
      `${environment}/requests`,
    )
    return requests.map(({ method, path, status }) => `${method} ${path} ${status}`)
  }
  await expect.poll(logged).toEqual(
    expect.arrayContaining([
      // The preflight request, before a key leaves the page. Ids of no intent are masked.
      'OPTIONS /payment-intents/pi_… 405',
      'POST /payment-intents 403',
      'GET /payment-intents/pi_… 403',
    ]),
  )
  // The GET without a key; the one with it was never sent.
  const rejected = (await logged()).filter((line) => line === 'GET /payment-intents/pi_… 403')
  expect(rejected).toHaveLength(1)
  const lint = JSON.stringify(await control(stack, `${environment}/lint`))
  expect(lint).toContain('secret_key_in_browser')
})

test('no other origin can call the checkout’s private API, with or without a session (threat 58)', async ({
  page,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/./)
  const session = page.waitForResponse('**/checkout-api/session')
  const handoff = await openCheckout(page)
  const { token } = (await (await session).json()) as { readonly token: string }
  const url = `${stack.checkoutOrigin}/checkout-api`
  const json = { 'content-type': 'application/json' }
  const authorization = `Bearer ${token}`
  const body = JSON.stringify({ ...handoff, origin: stack.shopUrl })
  stack.attacker.serve('/', '')
  const outside = await page.context().newPage()
  for (const origin of [stack.shopUrl, stack.attacker.origin]) {
    await outside.goto(origin)
    // The shop's own policy stops the request before it leaves; the service must not rely on that.
    const statuses: number[] = []
    outside.on('response', (response) => {
      if (response.url().includes('/checkout-api/')) statuses.push(response.status())
    })
    const read = await readFrom(outside, [
      [`${url}/session`, { method: 'POST', headers: json, body }],
      [`${url}/session`, { method: 'POST', mode: 'no-cors', body }],
      [`${url}/intent`, { headers: { authorization } }],
      [`${url}/intent`, { mode: 'no-cors' }],
      [`${url}/cancel`, { method: 'POST', headers: { ...json, authorization }, body: '{}' }],
      [`${url}/cancel`, { method: 'POST', mode: 'no-cors', body: '{}' }],
    ])
    expect(
      read.filter((text) => text !== 'unreadable' && text !== ''),
      origin,
    ).toEqual([])
    expect(
      statuses.filter((status) => status < 400),
      origin,
    ).toEqual([])
  }
  await outside.close()
  await page.reload()
  await expect(page.frameLocator('pi-checkout iframe').getByLabel('Card number')).toBeVisible()
})
