import { describe, expect, test } from 'vitest'
import { isReplay, order, startTestService, storeSettings } from '../support/service.ts'

const merchant = 'Sevan Books'

describe.each(storeSettings)('%s', async (_, settings) => {
  const service = await startTestService(await settings())
  const live = await service.newKey('Tsiran', 'live')
  const second = await service.newKey(merchant)
  const secondLive = await service.newKey(merchant, 'live')

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
    const [one, other] = ['key-of-the-first-merchant', 'key-of-the-second-merchant']
    await service.created({ ...order, orderId: one }, { 'idempotency-key': one })
    await second.created({ ...order, orderId: other }, { 'idempotency-key': other })
    const listed = async ({ environmentId: id }: { environmentId: string }, list: string) =>
      await (await service.control('GET', `/environments/${id}/${list}`)).text()
    for (const list of ['intents', 'requests', 'lint']) {
      expect(await listed(service, list)).not.toContain(other)
      expect(await listed(second, list)).not.toContain(one)
    }
    expect(await listed(second, 'intents')).toContain(other)
    expect(await listed(service, 'requests')).toContain(one)
    await service.control('DELETE', `/environments/${service.environmentId}/requests`)
    expect(await listed(service, 'requests')).not.toContain(one)
    expect(await listed(second, 'requests')).toContain(other)
  })
})
