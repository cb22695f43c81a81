import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import { PageClient } from '../support/checkout.ts'
import {
  expectResult,
  frameAt,
  openShop,
  type ShopPage,
  startBrowserStack,
  violationsIn,
} from './browser.ts'

const stack = await startBrowserStack()

/** The messages until the form is shown. */
const opened = ['hello', 'ack', 'ready']

/** Returns the messages to the shop's page except those about the height. */
async function messagesOf(window: ShopPage): Promise<string[]> {
  return (await window.messages()).filter((message) => message !== 'size')
}

test('shows merchant, amount, and order, pays, and sends finish to the shop', async () => {
  const pair = await stack.checkout.createIntent({ amount: 1999, currency: 'USD' })
  const window = await openShop(stack, { pair })
  const { frame } = window
  await frame.getByText('Ararat Tea House').waitFor()
  expect(await frame.getByTestId('amount').textContent()).toBe('$19.99')
  expect(await frame.getByTestId('order').textContent()).toBe('Order A-1001')
  expect(await frame.getByText('Test mode: no real cards').isVisible()).toBe(true)
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
  expect(await messagesOf(window)).toEqual([...opened, 'busy true', 'busy false', 'finish'])
})

test('ends the payment after a stolen card with a generic decline', async () => {
  const window = await openShop(stack)
  await window.pay('4000000000009979')
  await expectResult(window, 'failed')
  expect(await window.frame.getByRole('main').textContent()).toContain('Your card was declined.')
  expect(await window.messages()).toContain('finish')
})

test('shows the challenge again after a reload', async () => {
  const window = await openShop(stack)
  await window.pay('4000000000003220')
  await window.bank.getByLabel('Code').waitFor()
  await window.page.reload()
  await window.submitCode('1234')
  await expectResult(window, 'paid')
})

test('reopens a challenge whose token was used', async () => {
  const window = await openShop(stack)
  const address = `${stack.checkout.challengeUrl}/challenge`
  const posted = window.page.waitForRequest(address)
  await window.pay('4000000000003220')
  await window.bank.getByLabel('Code').waitFor()
  const token = new URLSearchParams((await posted).postData() ?? '').get('token') ?? ''
  expect(token).toHaveLength(43)
  // What a browser does on its own when it loads an iframe again.
  await window.frame.locator('body').evaluate(`{
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: '${address}', target: 'challenge' })
    form.append(Object.assign(document.createElement('input'), { name: 'token', value: '${token}' }))
    document.body.append(form)
    form.submit()
    form.remove()
  }`)
  await window.frame.getByText('The confirmation was interrupted').waitFor()
  await window.frame.getByRole('button', { name: 'Confirm here' }).click()
  await window.submitCode('1234')
  await expectResult(window, 'paid')
})

test('opens a challenge once when two responses announce it', async () => {
  let opened = 0
  const window = await openShop(stack, {
    prepare: async (page) => {
      // The long poll returns the challenge before the first ticket arrives.
      const polled = page.waitForResponse(/checkout-api\/intent/)
      await page.route('**/checkout-api/challenge/open', async (route) => {
        opened++
        await polled
        await route.continue()
      })
    },
  })
  await window.pay('4000000000003220')
  await window.submitCode('1234')
  await expectResult(window, 'paid')
  expect(opened).toBe(1)
})

test('returns to the form with the reason after a denied redirect', async () => {
  const window = await openShop(stack)
  await window.pay('4000002760003184')
  await window.page.getByLabel('Code').fill('0000')
  await window.page.getByRole('button', { name: 'Confirm' }).click()
  await window.alert('Your bank did not confirm')
})

test('offers the bank or another card after Back from the bank', async () => {
  const window = await openShop(stack)
  const { frame, page } = window
  await window.pay('4000002760003184')
  await page.getByLabel('Code').waitFor()
  await page.goBack()
  await frame.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.getByLabel('Code').waitFor()
  await page.goBack()
  await frame.getByRole('button', { name: 'Use another card' }).click()
  await window.pay('4242424242424242')
  await expectResult(window, 'paid')
})

const prepare = async (page: Page): Promise<void> => await page.clock.install()

test('stays on the shop’s page if the shop does not reply to leave', async () => {
  const window = await openShop(stack, { query: { stay: '' }, prepare })
  await window.pay('4000002760003184')
  await expect.poll(window.messages).toContain('leave')
  await window.page.clock.runFor(10_000)
  await window.alert('Your bank’s page did not open')
  expect(new URL(window.page.url()).origin).toBe(stack.shop.origin)
})

test('finishes with a pending result after 12 seconds', async () => {
  const window = await openShop(stack, { prepare })
  await window.pay('4000000000000077')
  await window.frame.getByRole('heading', { name: 'Processing your payment' }).waitFor()
  expect(await window.messages()).not.toContain('finish')
  await window.page.clock.runFor(12_000)
  await expectResult(window, 'processing')
  expect(await window.messages()).toContain('finish')
})

test('waits for a result that arrives seconds later', async () => {
  const window = await openShop(stack)
  await window.pay('4000000000000341')
  await window.frame.getByRole('heading', { name: 'Processing your payment' }).waitFor()
  stack.checkout.advance(5100)
  await expectResult(window, 'paid')
})

test('updates a second window of the same payment', async () => {
  const first = await openShop(stack)
  const second = await openShop(stack, { pair: first.pair })
  await first.pay('4000000000000002')
  await second.alert('Your card was declined')
  await second.pay('4242424242424242')
  await expectResult(second, 'paid')
  await expectResult(first, 'paid')
})

test('sends cancel instead of finish when the buyer cancels', async () => {
  const window = await openShop(stack)
  // The page learns the result from its long poll first.
  await window.page.route('**/checkout-api/cancel', async (route) => {
    const client = new PageClient(stack.checkout)
    await client.open(window.pair, stack.shop.origin)
    await client.post('cancel', {})
    await expectResult(window, 'canceled')
    await route.continue()
  })
  const response = window.page.waitForResponse('**/checkout-api/cancel')
  await window.frame.getByRole('button', { name: 'Cancel payment' }).click()
  await response
  await expectResult(window, 'canceled')
  expect(await messagesOf(window)).toEqual([...opened, 'busy true', 'busy false', 'cancel'])
})

test('asks before it cancels a payment with typed card data', async () => {
  const window = await openShop(stack)
  const { frame } = window
  const cancel = frame.getByRole('button', { name: 'Cancel payment' })
  const focused = frame.locator(':focus')
  await frame.getByLabel('Card number').fill('4')
  await cancel.click()
  const question = frame.getByRole('group', { name: 'Cancel this payment?' })
  await question.waitFor()
  await expect.poll(async () => await focused.textContent()).toBe('Continue payment')
  expect(await violationsIn(frameAt(window, stack.checkout.url))).toEqual([])
  await focused.press('Escape')
  await question.waitFor({ state: 'detached' })
  await expect.poll(async () => await focused.textContent()).toBe('Cancel payment')
  expect(await frame.getByLabel('Card number').inputValue()).toBe('4')
  await cancel.click()
  await question.getByRole('button', { name: 'Cancel payment' }).click()
  await expectResult(window, 'canceled')
  expect(await window.messages()).toContain('cancel')
})

for (const result of ['paid', 'canceled'] as const) {
  test(`shows immediately that a payment is ${result}, and sends finish`, async () => {
    const pair = await stack.checkout.createIntent()
    const client = new PageClient(stack.checkout)
    await client.open(pair, stack.shop.origin)
    if (result === 'canceled') await client.post('cancel', {})
    else await client.pay('4242424242424242')
    const window = await openShop(stack, { pair })
    await expectResult(window, result)
    expect(await messagesOf(window)).toEqual([...opened, 'finish'])
  })
}

test('shows that an intent has expired while its page is open', async () => {
  const window = await openShop(stack)
  await stack.checkout.db.query`
    update payment_intents
       set expires_at = ${stack.checkout.context.now()}, created_at = created_at - interval '1 day'
     where id = ${window.pair.id}`
  stack.checkout.db.notify('unknown')
  await expectResult(window, 'expired')
  expect(await window.messages()).toContain('finish')
})

test('renews an expired session and keeps the typed card', async () => {
  const window = await openShop(stack, { expected: [/401 \(Unauthorized\)/] })
  await window.fill('4242424242424242')
  stack.checkout.advance(16 * 60_000)
  await window.frame.getByRole('button', { name: /^Pay / }).click()
  await expectResult(window, 'paid')
  const messages = [...opened, 'busy true', 'renew', 'busy false', 'finish']
  expect(await messagesOf(window)).toEqual(messages)
})

test('does not renew the session of a shop whose origin was removed', async () => {
  const pair = await stack.checkout.createIntent({ environmentId: 'env_other' })
  const window = await openShop(stack, { pair, expected: [/401|403/] })
  await stack.checkout.db.query`
    update environments set allowed_origins = '{}' where id = 'env_other'`
  stack.checkout.advance(16 * 60_000)
  await window.pay('4242424242424242')
  await expect.poll(window.messages).toContain('fail origin_not_allowed')
  // The element removes the page. Another parent keeps it, with the typed card.
  const number = window.frame.getByLabel('Card number')
  expect(await number.inputValue()).toBe('4242 4242 4242 4242')
})
