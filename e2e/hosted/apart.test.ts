/** What the hosted page shows without a session. The element removes it; another parent may not. @module */
import { hostedPage } from '../fixtures/buyer.ts'
import { expect, test } from '../fixtures/hosted-form.ts'
import { createIntent } from '../fixtures/merchant.ts'
import { authenticate, connectTo, messageTypes } from '../fixtures/played-element.ts'

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

test('shows a message when no session can be opened', async ({
  page,
  stack,
  plainShop,
  pageErrors,
}) => {
  pageErrors.allow(/Failed to load resource/)
  plainShop.respond = () => ''
  const { id } = await createIntent(stack)
  await page.goto(plainShop.origin)
  await connectTo(page, `${stack.api.checkoutOrigin}/checkout/${id}`)
  await authenticate(page, { handoff: { id, clientSecret: 'not-the-secret' }, locale: 'en' })
  await expect.poll(() => messageTypes(page)).toEqual(['hello', 'ack', 'fail'])
  await expect(hostedPage(page).locator('.apart')).toContainText('not available right now')
  await expect(hostedPage(page).locator('input')).toHaveCount(0)
})
