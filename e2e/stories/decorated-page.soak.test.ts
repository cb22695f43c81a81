import { createIntent } from '../fixtures/api.ts'
import { fillCard, hostedPage, payButton } from '../fixtures/buyer.ts'
import { generatedPages } from '../fixtures/decorations.ts'
import { expect, test } from '../fixtures/test-stack.ts'

for (const { title, page } of generatedPages(6)) {
  test(`a buyer pays inside ${title}`, async ({ page: tab, stack, decorated, browserName }) => {
    await tab.setViewportSize({ width: 1280 / page.zoom, height: 720 / page.zoom })
    await tab.goto(decorated.publish([await createIntent(stack)], page))
    await fillCard(tab, '4242 4242 4242 4242')
    // Playwright's mouse finds no place in a scrolled frame of Firefox, and WebDriver's click may hit a layer.
    if (browserName !== 'chromium') await hostedPage(tab).getByLabel('Name on card').press('Enter')
    else await payButton(tab).click()
    await expect(hostedPage(tab).getByTestId('result'), JSON.stringify(page)).toHaveAttribute(
      'data-state',
      'paid',
    )
    await expect(tab.locator('pi-checkout:state(finished)')).toHaveCount(1)
  })
}
