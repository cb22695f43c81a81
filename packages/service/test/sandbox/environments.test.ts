import { describe, expect, test } from 'vitest'
import {
  Merchant,
  problemOf,
  startTestService,
  startWaiting,
  storeSettings,
} from '../support/service.ts'

describe.each(storeSettings)('%s', async (_, settings) => {
  const service = await startTestService(await settings())
  const origin = 'http://localhost:5173'
  const path = `/environments/${service.environmentId}`

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

  test('revokes a key of its environment immediately, and no other', async () => {
    const [one, other] = [await newEnvironment(), await newEnvironment()]
    const added = await service.control('POST', `/environments/${one.id}/keys`)
    const { id, apiKey } = (await added.json()) as Record<'id' | 'apiKey', string>
    const status = async (): Promise<number> =>
      (await new Merchant({ ...one, apiKey }).create()).status
    const revoke = async (environment: string): Promise<Response> =>
      await service.control('DELETE', `/environments/${environment}/keys/${id}`)
    expect([(await revoke(other.id)).status, await status()]).toEqual([404, 201])
    const revoked = await revoke(one.id)
    expect([revoked.status, await revoked.json()]).toEqual([200, { id, revoked: true }])
    expect([await status(), (await one.create()).status]).toEqual([401, 201])
    expect((await revoke(one.id)).status).toBe(200)
  })

  test('keeps a merchant that has a live environment', async () => {
    const live = await service.newKey('Sevan Books', 'live')
    const id = (await service.newKey('Sevan Books')).environmentId
    expect((await service.control('DELETE', `/environments/${id}`)).status).toBe(200)
    expect((await live.create()).status).toBe(201)
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
    const other = await service.newKey('Sevan Books')
    await service.changeOrigin('addOrigin', 'http://localhost:3000', { merchant: 'Sevan Books' })
    const [moved, unmoved] = [await service.openPage(), await other.openPage()]
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
})
