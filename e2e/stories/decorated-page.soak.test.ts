import { createIntent } from '../fixtures/api.ts'
import { fillCard, hostedPage, payButton } from '../fixtures/buyer.ts'
import { type DecoratedShop, startDecoratedShop } from '../fixtures/decorated-shop.ts'
import { combinations, decorations, viewportOf } from '../fixtures/decorations.ts'
import { test as base, expect } from '../fixtures/test-stack.ts'

const seed = Number(process.env.SEED ?? 14)

const test = base.extend<object, { decorated: DecoratedShop }>({
  decorated: [
    async ({ stack }, use) => {
      const shop = await startDecoratedShop(stack)
      await use(shop)
      await shop.stop()
    },
    { scope: 'worker' },
  ],
})

const singles = decorations.map((decoration) => ({
  title: decoration.name,
  page: [decoration],
  engines: ['chromium'],
}))
const several = combinations(seed, 5).map((page, at) => ({
  title: `combination ${at + 1} of seed ${seed}`,
  page,
  engines: ['chromium', 'firefox'],
}))

for (const { title, page, engines } of [...singles, ...several]) {
  const names = page.map(({ name }) => name).join(', ')
  test(`a buyer pays inside a ${title}`, async ({ page: tab, stack, decorated, browserName }) => {
    test.skip(!engines.includes(browserName), 'this engine has the combinations')
    await tab.setViewportSize(viewportOf(page))
    await tab.goto(decorated.publish([await createIntent(stack)], page))
    await fillCard(tab, '4242 4242 4242 4242')
    // Playwright's mouse finds no place in a scrolled frame of Firefox.
    if (browserName === 'firefox') await hostedPage(tab).getByLabel('Name on card').press('Enter')
    else await payButton(tab).click()
    await expect(hostedPage(tab).getByTestId('result'), names).toHaveAttribute('data-state', 'paid')
    await expect(tab.locator('pi-checkout:state(finished)')).toHaveCount(1)
  })
}
