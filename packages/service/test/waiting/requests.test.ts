import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { expect, onTestFinished, test, vi } from 'vitest'
import { revokeSecret } from '../../src/intents/store.ts'
import { setClock } from '../../src/sandbox/environment-clock.ts'
import { resetEnvironments } from '../../src/sandbox/reset.ts'
import { shop, startCheckout } from '../support/checkout.ts'
import { created, problemOf, startTestService } from '../support/service.ts'

const checkout = await startCheckout()
await checkout.registerOrigin(shop)
await checkout.registerOrigin(shop, 'env_other')
const begun = vi.spyOn(checkout.context.waits, 'wait')

/** Opens a page of a new intent, which begins to wait for version 2. */
async function openWaiting(environmentId = 'env_test') {
  const client = new HostedPage(checkout)
  const pair = await checkout.createIntent({ environmentId })
  await client.open(pair)
  const count = begun.mock.calls.length
  const response = client.get('?waitForVersion=2', AbortSignal.timeout(20_000))
  await expect.poll(() => begun.mock.calls.length).toBe(count + 1)
  return { id: pair.id, client, response }
}

test('applies the clock of a test environment to its waiting requests only', async () => {
  const [moved, unmoved] = [await openWaiting(), await openWaiting('env_other')]
  await setClock(checkout.db, 'env_test', { offset: 24 * 3600 * 1000 })
  expect(await (await moved.response).json()).toMatchObject({ status: 'expired' })
  await setClock(checkout.db, 'env_test', { offset: 0 })
  await unmoved.client.post('cancel', {})
  expect(await (await unmoved.response).json()).toMatchObject({ status: 'canceled' })
})

test('rejects a waiting request whose secret is revoked or whose intent is deleted', async () => {
  const [revoked, deleted] = [await openWaiting(), await openWaiting()]
  await revokeSecret(checkout.db, { id: revoked.id, modes: ['test'] })
  expect(await problemOf(await revoked.response)).toBe('401 invalid_session')
  await resetEnvironments(checkout.db, 'env_test')
  expect(await problemOf(await deleted.response)).toBe('401 invalid_session')
})

test('stops without waiting for buyers and without cutting them off', async () => {
  const service = await startTestService()
  const buyers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const client = new HostedPage(service)
      await client.open(await created(service))
      return { client, agent: new Agent({ keepAlive: true, maxSockets: 1 }) }
    }),
  )
  const failures: string[] = []
  let responses = 0
  let received = 0
  const count = (): void => void received++
  subscribe('http.server.request.start', count)
  onTestFinished(() => void unsubscribe('http.server.request.start', count))
  // As a hosted page does: the next request follows each response, on the same connection.
  const polls = buyers.map(async ({ client, agent }) => {
    for (;;) {
      const request = get(`${service.url}/checkout-api/intent?waitForVersion=2`, {
        agent,
        headers: { authorization: `Bearer ${client.token}` },
      })
      try {
        const [response] = (await once(request, 'response')) as [IncomingMessage]
        expect(response.statusCode).toBe(200)
        response.resume()
        await once(response, 'end')
        responses++
      } catch (error) {
        failures.push(String((error as { code?: string }).code))
        return
      }
    }
  })
  await expect.poll(() => received).toBeGreaterThanOrEqual(30)
  expect(responses).toBe(0)
  const begin = performance.now()
  await service.stop()
  expect(performance.now() - begin).toBeLessThan(10_000)
  await Promise.all(polls)
  expect(responses).toBeGreaterThanOrEqual(30)
  expect(new Set(failures)).toEqual(new Set(['ECONNREFUSED']))
})

test('responds immediately after a stop began, and closes the connection', async () => {
  const { response, client } = await openWaiting()
  checkout.stop()
  for (const each of [await response, await client.get('?waitForVersion=2')]) {
    expect(each.headers.get('connection')).toBe('close')
    expect(await each.json()).toMatchObject({ version: 1 })
  }
})
