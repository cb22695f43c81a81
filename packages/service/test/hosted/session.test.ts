import { expect, test } from 'vitest'
import { PageClient } from '../support/checkout.ts'
import { expectResult, openShop, useBrowserStack } from './browser.ts'

const stack = useBrowserStack()

test('renews an expired session and keeps the typed card', async () => {
  const window = await openShop(stack, await stack.checkout.createIntent(), {
    expected: [/401 \(Unauthorized\)/],
  })
  await window.fill('4242424242424242')
  stack.checkout.advance(16 * 60_000)
  await window.frame.getByRole('button', { name: /^Pay / }).click()
  await expectResult(window, 'paid')
  const messages = (await window.messages()).filter((message) => message !== 'size')
  expect(messages).toEqual([
    ...['hello', 'ack', 'ready', 'busy true'],
    ...['renew', 'busy false', 'finish'],
  ])
  await window.close()
})

test('does not renew the session of a shop whose origin was removed', async () => {
  const pair = await stack.checkout.createIntent({ environmentId: 'env_other' })
  await stack.checkout.registerOrigin(stack.shop.origin, 'env_other')
  const window = await openShop(stack, pair, { expected: [/401|403/] })
  await stack.checkout.db.query`
    update environments set allowed_origins = '{}' where id = 'env_other'`
  stack.checkout.advance(16 * 60_000)
  await window.pay('4242424242424242')
  await expect.poll(window.messages).toContain('fail origin_not_allowed')
  await window.close()
})

test('shows that an intent has expired while its page is open', async () => {
  const pair = await stack.checkout.createIntent()
  const window = await openShop(stack, pair)
  await stack.checkout.db.query`
    update payment_intents
       set expires_at = ${stack.checkout.context.now()}, created_at = created_at - interval '1 day'
     where id = ${pair.id}`
  await expectResult(window, 'expired')
  expect(await window.messages()).toContain('finish')
  await window.close()
})

test('ends the payment after the tenth declined card', async () => {
  const pair = await stack.checkout.createIntent()
  const client = new PageClient(stack.checkout)
  await client.open(pair, stack.shop.origin)
  for (let tries = 1; tries < 10; tries++) await client.pay('4000000000000002')
  const window = await openShop(stack, pair)
  await window.frame.getByRole('alert').getByText('Your card was declined').waitFor()
  await window.pay('4000000000000002')
  await expectResult(window, 'failed')
  await window.close()
})
