import { seed } from '@pi-checkout/test-support/generated'
import { createIntent } from '../fixtures/api.ts'
import { startDecoratedShop } from '../fixtures/decorated-shop.ts'
import { generatedPages, viewportOf } from '../fixtures/decorations.ts'
import { enterCheckout, fillCard, test } from './buyer.ts'

test(`a buyer with WebKit pays inside the pages of PI_SEED=${seed}`, async ({ stack, webkit }) => {
  test.setTimeout(120_000)
  const shop = await startDecoratedShop(stack)
  for (const { title, page } of generatedPages(5)) {
    await test.step(`${title}: ${JSON.stringify(page)}`, async () => {
      await webkit.resize(viewportOf(page))
      await webkit.goto(shop.publish([await createIntent(stack)], page))
      await enterCheckout(webkit)
      await fillCard(webkit, '4242424242424242')
      // A click of WebDriver would land on a layer over the button.
      await webkit.type('[autocomplete=cc-name]', 'Ani Petrosyan\uE007')
      await webkit.waitFor(
        `return document.querySelector('[data-testid=result]')?.dataset.state === 'paid'`,
      )
    })
  }
  await shop.stop()
})
