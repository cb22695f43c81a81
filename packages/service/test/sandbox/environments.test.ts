import { describe, expect, test } from 'vitest'
import { control, environmentId } from '../support/sandbox.ts'
import { create, created, startTestService, storeSettings } from '../support/service.ts'

describe.each(storeSettings)('%s', async (_, settings) => {
  const service = await startTestService(await settings())
  const origin = 'http://localhost:5173'

  async function newEnvironment(body: object = {}) {
    const response = await control(service, 'POST', '/environments', body)
    expect(response.status).toBe(201)
    const made = (await response.json()) as Record<'id' | 'merchant' | 'apiKey', string>
    return { ...made, url: service.url }
  }

  test('deletes an environment with its keys and intents, and no other', async () => {
    const [deleted, kept] = [await newEnvironment(), await newEnvironment({ origins: [origin] })]
    expect(kept).toMatchObject({ origins: [origin], clock: { offset: 0 } })
    const { id } = await created(deleted)
    const path = `/environments/${deleted.id}`
    await control(service, 'POST', `${path}/faults`, { on: 'create', do: '503' })
    const response = await control(service, 'DELETE', path)
    expect([response.status, await response.json()]).toEqual([200, { id: deleted.id }])
    expect((await create(deleted)).status).toBe(401)
    for (const [method, at] of [
      ['GET', `${path}/intents`],
      ['GET', `/intents/${id}`],
      ['DELETE', path],
    ] as const) {
      expect((await control(service, method, at)).status).toBe(404)
    }
    expect((await create(kept)).status).toBe(201)
    const listed = await (await control(service, 'GET', '/environments')).text()
    expect(listed).toContain(kept.id)
    expect(listed).not.toContain(deleted.id)
  })

  test('revokes a key of its environment immediately, and no other', async () => {
    const [one, other] = [await newEnvironment(), await newEnvironment()]
    const added = await control(service, 'POST', `/environments/${one.id}/keys`)
    const { id, apiKey } = (await added.json()) as Record<'id' | 'apiKey', string>
    const status = async (): Promise<number> => (await create({ ...one, apiKey })).status
    const revoke = async (environment: string): Promise<Response> =>
      await control(service, 'DELETE', `/environments/${environment}/keys/${id}`)
    expect([(await revoke(other.id)).status, await status()]).toEqual([404, 201])
    const revoked = await revoke(one.id)
    expect([revoked.status, await revoked.json()]).toEqual([200, { id, revoked: true }])
    expect([await status(), (await create(one)).status]).toEqual([401, 201])
    expect((await revoke(one.id)).status).toBe(200)
  })

  test('keeps a merchant that has a live environment', async () => {
    const live = await service.newKey('Sevan Books', 'live')
    await service.newKey('Sevan Books')
    const id = await environmentId(service, 'Sevan Books')
    expect((await control(service, 'DELETE', `/environments/${id}`)).status).toBe(200)
    expect((await create(live)).status).toBe(201)
  })

  test.each([
    [{ origins: ['localhost'] }, /^origins\.0 must be an exact origin such as/],
    [{ origins: Array.from({ length: 21 }, () => origin) }, /^origins must be at most 20 origins/],
    [{ merchant: 'Tsiran' }, /^merchant is not a parameter/],
  ])('rejects %j with the rule', async (body, rule) => {
    const response = await control(service, 'POST', '/environments', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ detail: expect.stringMatching(rule) })
  })
})
