import { describe, expect, test } from 'vitest'
import {
  isReplay,
  Merchant,
  order,
  problemOf,
  startTestService,
  startWaiting,
  storeSettings,
} from '../support/service.ts'

describe.each(storeSettings)('%s', async (_, settings) => {
  const service = await startTestService(await settings())
  const origin = 'http://localhost:5173'
  const path = `/environments/${service.environmentId}`
  const live = await service.newKey('Tsiran', 'live')
  const second = await service.newKey('Sevan Books')
  const secondLive = await service.newKey('Sevan Books', 'live')

  async function newEnvironment(body: object = {}) {
    const response = await service.control('POST', '/environments', body)
    expect(response.status).toBe(201)
    const made = (await response.json()) as Record<'id' | 'merchant' | 'apiKey', string>
    return Object.assign(new Merchant({ ...made, url: service.url }), made)
  }

  test('deletes an environment with its keys and intents, and no other', async () => {
    const [deleted, kept] = [await newEnvironment(), await newEnvironment({ origins: [origin] })]
    expect(kept).toMatchObject({ origins: [origin], clock: { offset: 0 } })
    const { id } = await deleted.created()
    const at = `/environments/${deleted.id}`
    await service.control('POST', `${at}/faults`, { on: 'create', do: '503' })
    const response = await service.control('DELETE', at)
    expect([response.status, await response.json()]).toEqual([200, { id: deleted.id }])
    expect((await deleted.create()).status).toBe(401)
    for (const [method, gone] of [
      ['GET', `${at}/intents`],
      ['GET', `/intents/${id}`],
      ['DELETE', at],
    ] as const) {
      expect((await service.control(method, gone)).status).toBe(404)
    }
    expect((await kept.create()).status).toBe(201)
    const listed = await (await service.control('GET', '/environments')).text()
    expect(listed).toContain(kept.id)
    expect(listed).not.toContain(deleted.id)
  })

  test('keeps a merchant that has a live environment', async () => {
    const kept = await service.newKey('Garni Crafts', 'live')
    const id = (await service.newKey('Garni Crafts')).environmentId
    expect((await service.control('DELETE', `/environments/${id}`)).status).toBe(200)
    expect((await kept.create()).status).toBe(201)
  })

  test.each([
    [{ origins: ['localhost'] }, /^origins\.0 must be an exact origin such as/],
    [{ origins: Array.from({ length: 21 }, () => origin) }, /^origins must be at most 20 origins/],
    [{ merchant: 'Tsiran' }, /^merchant is not a parameter/],
  ])('rejects %j with the rule', async (body, rule) => {
    const response = await service.control('POST', '/environments', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ detail: expect.stringMatching(rule) })
  })

  test('applies the clock of a test environment to its waiting requests only', async () => {
    await service.changeOrigin('add', 'http://localhost:3000', { merchant: 'Sevan Books' })
    const [moved, unmoved] = [await service.openPage(), await second.openPage()]
    const [one, two] = [await startWaiting(moved), await startWaiting(unmoved)]
    await service.control('PUT', `${path}/clock`, { advance: 24 * 3600_000 })
    expect(await (await one.response).json()).toMatchObject({ status: 'expired' })
    await unmoved.post('cancel', {})
    expect(await (await two.response).json()).toMatchObject({ status: 'canceled' })
  })

  test('rejects a waiting request whose intent is deleted', async () => {
    const { response } = await startWaiting(await service.openPage())
    await service.control('POST', `${path}/reset`)
    expect(await problemOf(await response)).toBe('401 invalid_session')
  })

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
    const detail = "No Payment Intent in the API key's environment has this id."
    expect([...bodies]).toEqual([expect.stringContaining(detail)])
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
    await service.control('POST', `/environments/${service.environmentId}/reset`)
    expect(await listed(service, 'requests')).not.toContain(one)
    expect(await listed(second, 'requests')).toContain(other)
  })
})
