import { fillCard, hostedPage } from '../fixtures/buyer.ts'
import { expect, payOf, test } from '../fixtures/hosted-form.ts'

const hostileTexts = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  '\u202Elive\u202C \u2067evil',
  '\u2028alert(1)\u0007',
]

test('renders hostile merchant names and order ids as plain text', async ({ page, openForm }) => {
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  let text = ''
  await page.route('**/checkout-api/session', async (route) => {
    const response = await route.fetch()
    const { intent, ...json } = await response.json()
    const hostile = { ...intent, merchantName: text, orderId: text }
    await route.fulfill({ response, json: { ...json, intent: hostile } })
  })
  // Reads would replace the texts.
  await page.route('**/checkout-api/intent*', () => {})
  for (text of hostileTexts) {
    if (text === hostileTexts[0]) await openForm()
    else await page.reload()
    const html = hostedPage(page)
    const isolated = html.locator('.merchant bdi, .order bdi')
    await expect(isolated).toHaveCount(2)
    // A right-to-left override ends with its own element, and the amount reads as it should.
    const shown = await isolated.evaluateAll((all) =>
      all.map((node) => [
        node.textContent,
        node.children.length,
        getComputedStyle(node).unicodeBidi,
      ]),
    )
    expect(shown).toEqual(Array(2).fill([text, 0, 'isolate']))
    await expect(html.locator('img, b, iframe, script:not([src]), body style')).toHaveCount(0)
    await expect(html.getByTestId('amount')).toBeVisible()
  }
  expect(dialogs).toEqual([])
})

const limited = { code: 'rate_limited', detail: 'Too many requests.', requestId: 'req_1' }

const helps = [
  [
    { status: 429, json: limited },
    /pi-checkout: rate_limited\. Too many requests\. .*PI_RATE_LIMIT/,
  ],
  [
    { status: 500, json: { ...limited, code: 'internal_error' } },
    /pi-checkout: internal_error\. .*req_1/,
  ],
  // A lost connection.
  [undefined, /pi-checkout: no_response\. .*Check that the service is running/],
] as const

for (const environment of ['live', 'test'] as const) {
  test(`explains a failed request to developers in a test environment only: ${environment}`, async ({
    page,
    openForm,
    pageErrors,
  }) => {
    pageErrors.allow(/Failed to load resource|pi-checkout: /)
    const printed: string[] = []
    page.on('console', (line) => printed.push(line.text()))
    // One function says so for all failures: in a live environment, one of them is enough.
    for (const [response, help] of environment === 'live' ? helps.slice(0, 1) : helps) {
      await page.route('**/checkout-api/confirm', (route) =>
        response ? route.fulfill(response) : route.abort(),
      )
      await openForm({ environment })
      await fillCard(page, '4242 4242 4242 4242')
      await payOf(page).click()
      await expect(hostedPage(page).getByRole('alert')).toHaveText(/^[^_:]+$/)
      if (environment === 'test') {
        await expect.poll(() => printed.filter((line) => help.test(line))).toHaveLength(1)
      } else expect(printed.filter((line) => line.includes('pi-checkout:'))).toEqual([])
      await expect(hostedPage(page).getByText('pi-checkout:')).toHaveCount(0)
    }
  })
}
