/** What the hosted page shows without a session. The element removes it; another parent may not. @module */
import { expect, test } from '../fixtures/hosted-form.ts'
import { createIntent } from '../fixtures/merchant.ts'

test('without script the full page names the shop, and leads back to it', async ({
  browser,
  stack,
}) => {
  const { id, clientSecret } = await createIntent(stack)
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  const response = await context.request.post(`${stack.api.checkoutOrigin}/checkout/${id}`, {
    form: { clientSecret, returnUrl: `${stack.shopUrl}/cart`, locale: 'hy' },
    headers: { origin: stack.shopUrl },
    maxRedirects: 0,
  })
  await page.goto(new URL(response.headers().location ?? '', response.url()).href)
  await expect(page.getByRole('heading')).toHaveText('Վճարելու համար անհրաժեշտ է JavaScript')
  await expect(page.getByRole('main')).toContainText('Tsiran')
  await expect(page.getByRole('main')).toContainText(stack.api.checkoutOrigin)
  await page.getByRole('link', { name: 'Վերադառնալ խանութ' }).click()
  await page.waitForURL(`${stack.shopUrl}/cart`)
  await context.close()
})

test('outside of a shop, it says so in the browser’s language', async ({ browser, stack }) => {
  const { id } = await createIntent(stack)
  const page = await browser.newPage({ locale: 'ru-RU' })
  await page.goto(stack.shopUrl)
  for (const sent of [id, 'pi_none']) {
    await page.goto(`${stack.api.checkoutOrigin}/checkout/${sent}`)
    await expect(page.getByRole('heading')).toHaveText('Этот платёж нельзя открыть здесь')
  }
  await page.getByRole('link', { name: 'Назад' }).click()
  await page.waitForURL(`${stack.api.checkoutOrigin}/checkout/${id}`)
  await page.close()
})
