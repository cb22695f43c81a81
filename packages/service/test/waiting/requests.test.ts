import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, onTestFinished, test, vi } from 'vitest'
import { setClock } from '../../src/sandbox/environment-routes.ts'
import { deleteAllIntents } from '../../src/sandbox/intents.ts'
import { shop, startCheckout } from '../support/checkout.ts'
import { created, problemOf, startTestService } from '../support/service.ts'

const checkout = await startCheckout()
await checkout.registerOrigin(shop)
await checkout.registerOrigin(shop, 'env_other')
const begun = vi.spyOn(checkout.context.waits, 'wait')

/** Opens a page of a new intent, which begins to wait for version 2. */
async function openWaiting(environmentId = 'env_test') {
  const client = new HostedPage(checkout)
  await client.open(await checkout.createIntent({ environmentId }))
  const count = begun.mock.calls.length
  const response = client.get('?waitForVersion=2', AbortSignal.timeout(20_000))
  await expect.poll(() => begun.mock.calls.length).toBe(count + 1)
  return { client, response }
}

test('applies the clock of a test environment to its waiting requests only', async () => {
  const [moved, unmoved] = [await openWaiting(), await openWaiting('env_other')]
  await setClock(checkout.db, 'env_test', { offset: 24 * 3600 * 1000 })
  expect(await (await moved.response).json()).toMatchObject({ status: 'expired' })
  await setClock(checkout.db, 'env_test', { offset: 0 })
  await unmoved.client.post('cancel', {})
  expect(await (await unmoved.response).json()).toMatchObject({ status: 'canceled' })
})

test('rejects a waiting request whose intent is deleted', async () => {
  const deleted = await openWaiting()
  await deleteAllIntents(checkout.db, 'env_test')
  expect(await problemOf(await deleted.response)).toBe('401 invalid_session')
})

test('stops without waiting for buyers and without cutting them off', async () => {
  const service = await startTestService()
  const pages = Array.from({ length: 30 }, () => new HostedPage(service))
  await Promise.all(pages.map(async (page) => await page.open(await created(service))))
  let received = 0
  const count = (): void => void received++
  subscribe('http.server.request.start', count)
  onTestFinished(() => void unsubscribe('http.server.request.start', count))
  // As a hosted page does: the next request follows each response, on the same connection.
  const polls = pages.map(async (page) => {
    for (let responses = 0; ; responses++) {
      const response = await page.get('?waitForVersion=2').catch(({ cause }) => String(cause.code))
      if (typeof response === 'string') return `${Math.min(responses, 1)} ${response}`
      expect(await response.json()).toMatchObject({ version: 1 })
    }
  })
  await expect.poll(() => received).toBe(30)
  const begin = performance.now()
  await service.stop()
  expect(performance.now() - begin).toBeLessThan(10_000)
  expect(new Set(await Promise.all(polls))).toEqual(new Set(['1 ECONNREFUSED']))
})
