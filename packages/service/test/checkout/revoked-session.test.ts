import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, test } from 'vitest'
import { createIntentStore, revokeSecret } from '../../src/intents/store.ts'
import { shop, startCheckout } from '../support/checkout.ts'
import { problemOf } from '../support/service.ts'
import { observed, openTestStore } from '../support/store.ts'

test('ends the session of a buyer whose clientSecret is revoked while Pay is handled', async () => {
  const store = await openTestStore()
  let revoking: string | undefined
  const db = observed(store, async ({ text }) => {
    if (!revoking || !text.includes('update intents')) return
    await revokeSecret(createIntentStore({ db: store, now: () => new Date() }), {
      id: revoking,
      modes: ['test'],
    })
  })
  const checkout = await startCheckout({ db })
  await checkout.registerOrigin(shop)
  const [pair, page] = [await checkout.createIntent(), new HostedPage(checkout)]
  await page.open(pair)
  revoking = pair.id
  expect(await problemOf(await page.pay('4242424242424242', { version: 1 }))).toBe(
    '401 invalid_session',
  )
  expect((await checkout.context.intents.find(pair.id))?.status).toBe('canceled')
})
