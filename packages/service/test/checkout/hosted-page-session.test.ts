import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { expectResult, openWindow, startWorld, type World } from './browser.ts'
import { PageClient } from './support.ts'

// A browser has no deadline on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => await world.close())

test('a session that has ended is renewed by the page around, and the typed card pays', async () => {
  const window = await openWindow(world, await world.checkout.createIntent(), {
    expected: [/401 \(Unauthorized\)/],
  })
  await window.fill('4242424242424242')
  world.checkout.advance(16 * 60_000)
  await window.frame.getByRole('button', { name: /^Pay / }).click()
  await expectResult(window, 'paid')
  const said = (await window.said()).filter((word) => word !== 'size')
  expect(said).toEqual([
    ...['hello', 'ack', 'ready', 'busy true'],
    ...['renew', 'busy false', 'finish'],
  ])
  await window.close()
})

test('a session is not renewed for a shop whose origin was removed meanwhile', async () => {
  const pair = await world.checkout.createIntent({ environmentId: 'env_other' })
  await world.checkout.registerOrigin(world.shop.origin, 'env_other')
  const window = await openWindow(world, pair, { expected: [/401|403/] })
  await world.checkout.db.query`
    update environments set allowed_origins = '{}' where id = 'env_other'`
  world.checkout.advance(16 * 60_000)
  await window.pay('4242424242424242')
  await expect.poll(window.said).toContain('fail origin_not_allowed')
  await window.close()
})

test('an intent that expires while its page stands open says so, and ends in finish', async () => {
  const pair = await world.checkout.createIntent()
  const window = await openWindow(world, pair)
  await world.checkout.db.query`
    update payment_intents
       set expires_at = ${world.checkout.context.now()}, created_at = created_at - interval '1 day'
     where id = ${pair.id}`
  await expectResult(window, 'expired')
  expect(await window.said()).toContain('finish')
  await window.close()
})

test('the tenth declined card ends the payment in sight of the buyer', async () => {
  const pair = await world.checkout.createIntent()
  const client = new PageClient(world.checkout)
  await client.open(pair, world.shop.origin)
  for (let tries = 1; tries < 10; tries++) await client.pay('4000000000000002')
  const window = await openWindow(world, pair)
  await window.frame.getByRole('alert').getByText('Your card was declined').waitFor()
  await window.pay('4000000000000002')
  await expectResult(window, 'failed')
  await window.close()
})
