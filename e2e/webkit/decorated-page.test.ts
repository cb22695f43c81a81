import { createIntent } from '../fixtures/api.ts'
import { startDecoratedShop } from '../fixtures/decorated-shop.ts'
import { combinations, viewportOf } from '../fixtures/decorations.ts'
import { enterCheckout, pay, test } from './buyer.ts'

const seed = Number(process.env.SEED ?? 14)

test(`a buyer with WebKit pays inside every decoration (seed ${seed})`, async ({
  stack,
  webkit,
}) => {
  test.setTimeout(120_000)
  const shop = await startDecoratedShop(stack)
  for (const page of combinations(seed, 5)) {
    await test.step(page.map(({ name }) => name).join(', '), async () => {
      await webkit.resize(viewportOf(page))
      await webkit.goto(shop.publish([await createIntent(stack)], page))
      await enterCheckout(webkit)
      await pay(webkit, '4242424242424242')
      await webkit.waitFor(
        `return document.querySelector('[data-testid=result]')?.dataset.state === 'paid'`,
      )
    })
  }
  await shop.stop()
})
