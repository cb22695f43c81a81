import { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { describe, expect, test } from 'vitest'
import {
  isReplay,
  type Merchant,
  order,
  startTestService,
  storeSettings,
} from '../support/service.ts'

const shop = 'http://localhost:3000'
const otherShop = 'https://books.example'
const merchant = 'Sevan Books'
describe.each(storeSettings)('%s', async (_, settings) => {
  const service = await startTestService(await settings())
  const live = await service.newKey('Tsiran', 'live')
  const [second, secondLive] = [
    await service.newKey(merchant),
    await service.newKey(merchant, 'live'),
  ]
  const ids = { first: service.environmentId, second: second.environmentId }
  await service.changeOrigin('addOrigin', otherShop, { merchant })

  /** Returns what the sandbox lists of one environment, as text. */
  async function listed(environment: string, list: string): Promise<string> {
    return await (await service.control('GET', `/environments/${environment}/${list}`)).text()
  }

  /** Opens a session, and returns its HTTP status and client. */
  async function opened(by: Merchant, origin: string): Promise<[status: number, HostedPage]> {
    const client = new HostedPage(service)
    const { id, clientSecret } = await by.created()
    const response = await client.post('session', { id, clientSecret, origin })
    client.token = ((await response.json()) as { token: string }).token
    return [response.status, client]
  }

  const unknownIds = ['pi_000000000000000000000000', 'x', 'a%2fb', '..%2f', 'x'.repeat(200)]

  test('returns an intent to its own environment only', async () => {
    const owners = [service, live, second, secondLive]
    const intents = await Promise.all(owners.map(async (owner) => (await owner.created()).id))
    const bodies = new Set<string>()
    for (const [by, owner] of owners.entries()) {
      for (const [of, id] of [...intents, ...unknownIds].entries()) {
        const response = await owner.retrieve(id)
        expect(response.status).toBe(by === of ? 200 : 404)
        const text = (await response.text()).replace(/req_\w+/, '')
        if (by !== of) bodies.add(`${[...response.headers.keys()]} ${text}`)
      }
    }
    expect([...bodies]).toEqual([
      expect.stringContaining("No Payment Intent in the API key's environment has this id."),
    ])
  })

  test('replays a key with every API key of its environment and with no other', async () => {
    const key = { 'idempotency-key': 'shared' }
    const first = await (await service.create(order, key)).text()
    const rotated = await (await service.newKey('Tsiran')).create(order, key)
    expect([isReplay(rotated), await rotated.text()]).toEqual([true, first])
    for (const other of [live, second, secondLive]) {
      expect(isReplay(await other.create(order, key))).toBe(false)
    }
  })

  test('lists and clears intents, requests, keys, and issues of one environment only', async () => {
    const createFor = async (by: Merchant, orderId: string): Promise<string> =>
      (await by.created({ ...order, orderId }, { 'idempotency-key': orderId })).id
    const own = await createFor(service, 'key-of-the-first-merchant')
    const other = await createFor(second, 'key-of-the-second-merchant')
    for (const list of ['intents', 'requests', 'lint']) {
      expect(await listed(ids.first, list)).not.toContain(other)
      expect(await listed(ids.second, list)).not.toContain(own)
    }
    expect(await listed(ids.second, 'intents')).toContain(other)
    expect(await listed(ids.first, 'requests')).toContain(own)
    await service.control('DELETE', `/environments/${ids.first}/requests`)
    expect(await listed(ids.first, 'requests')).not.toContain(own)
    expect(await listed(ids.second, 'requests')).toContain(other)
  })

  test('opens a checkout only for origins of its environment', async () => {
    expect((await opened(service, shop))[0]).toBe(200)
    expect((await opened(second, otherShop))[0]).toBe(200)
    expect((await opened(service, otherShop))[0]).toBe(403)
    expect((await opened(second, shop))[0]).toBe(403)
  })

  test('ends only the sessions of the environment whose origin is removed', async () => {
    await service.changeOrigin('addOrigin', shop, { merchant })
    const [[, own], [, other]] = [await opened(service, shop), await opened(second, shop)]
    await service.changeOrigin('removeOrigin', shop, { merchant })
    expect(await own.view()).toMatchObject({ merchantName: 'Tsiran' })
    expect(await other.view()).toMatchObject({ code: 'invalid_session' })
  })
})
