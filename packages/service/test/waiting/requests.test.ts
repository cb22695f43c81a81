import { describe, expect, test } from 'vitest'
import { problemOf, startTestService, startWaiting, storeSettings } from '../support/service.ts'

describe.each(storeSettings)('%s', async (_, settings) => {
  const service = await startTestService(await settings())
  const path = `/environments/${service.environmentId}`

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
