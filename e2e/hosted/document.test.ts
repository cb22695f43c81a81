import { hostedPage } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/hosted-form.ts'

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
