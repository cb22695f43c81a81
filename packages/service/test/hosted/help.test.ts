import { expect, test } from 'vitest'
import { frameAt, openShop, type ShopPage, startBrowserStack } from './browser.ts'

const stack = await startBrowserStack()

const limited = { code: 'rate_limited', detail: 'Too many requests.', requestId: 'req_1' }

for (const [name, response, help] of [
  [
    'a rate limit',
    { status: 429, json: limited },
    /pi-checkout: rate_limited\. Too many requests\. .*PI_RATE_LIMIT/,
  ],
  [
    'a server error',
    { status: 500, json: { ...limited, code: 'internal_error' } },
    /pi-checkout: internal_error\. .*req_1/,
  ],
  ['a lost connection', undefined, /pi-checkout: no_response\. .*npx pi-service doctor/],
] as const) {
  test(`explains ${name} to developers in a test environment only`, async () => {
    for (const environmentId of ['env_test', 'env_live']) {
      const isTest = environmentId === 'env_test'
      const printed: string[] = []
      const window = await openShop(stack, {
        pair: await stack.checkout.createIntent({ environmentId }),
        expected: [/Failed to load resource/],
        prepare: async (page) => {
          page.on('console', (line) => printed.push(line.text()))
          await page.route('**/checkout-api/confirm', async (route) => {
            await (response ? route.fulfill(response) : route.abort())
          })
        },
      })
      await window.pay('4242 4242 4242 4242')
      const notice = window.frame.getByRole('alert').filter({ hasText: /./ })
      await notice.waitFor()
      if (isTest) await notice.filter({ hasText: help }).waitFor()
      expect(await notice.textContent()).toMatch(isTest ? help : /^[^_:]*$/)
      expect(printed.filter((line) => line.includes('pi-checkout:')).length > 0).toBe(isTest)
    }
  })
}

/** The text of the failure. The shop's page keeps the document, unlike the element. */
async function shownBy({ frame }: ShopPage): Promise<string> {
  return (await frame.locator('.apart').textContent()) ?? ''
}

test('shows a message when no session can be opened, and its fix in a test environment only', async () => {
  for (const environmentId of ['env_test', 'env_live']) {
    const { id } = await stack.checkout.createIntent({ environmentId })
    const window = await openShop(stack, {
      pair: { id, clientSecret: 'not-the-secret' },
      ready: false,
      expected: [/Failed to load resource/],
    })
    const text = await shownBy(window)
    expect(text).toContain('not available right now')
    expect(text.includes('payment_intent_not_found')).toBe(environmentId === 'env_test')
    expect(await window.messages()).toEqual(['hello', 'ack', 'fail unauthorized'])
    expect(await window.frame.locator('input').count()).toBe(0)
  }
})

test('shows a message while the page around it does not answer', async () => {
  const window = await openShop(stack, {
    query: { mute: '' },
    ready: false,
    prepare: async (page) => await page.clock.install(),
  })
  await expect.poll(window.messages).toEqual(['hello'])
  const frame = frameAt(window, `${stack.checkout.url}/checkout/`)
  await frame.waitForFunction('customElements.get("pi-hosted-page")')
  expect(await window.frame.locator('.apart').count()).toBe(0)
  await window.page.clock.fastForward(15_000)
  const text = await shownBy(window)
  expect(text).toContain('not available right now')
  expect(text).toContain('pi-checkout: no_element')
  await window.page.evaluate('answer()')
  await window.frame.getByLabel('Card number').waitFor()
})

test('still names the wrong id after the time limit of the secret', async () => {
  const one = await stack.checkout.createIntent()
  const two = await stack.checkout.createIntent()
  const window = await openShop(stack, {
    pair: one,
    query: { at: two.id },
    ready: false,
    prepare: async (page) => await page.clock.install(),
  })
  await expect.poll(window.messages).toContain('fail unauthorized')
  expect(await shownBy(window)).toContain('pi-checkout: unauthorized')
  await window.page.clock.fastForward(15_000)
  expect(await shownBy(window)).toContain('pi-checkout: unauthorized')
})
