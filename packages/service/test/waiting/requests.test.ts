import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, onTestFinished, test } from 'vitest'
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

test('stops without waiting for buyers and without cutting them off', async () => {
  const service = await startTestService()
  const pages = await Promise.all(Array.from({ length: 30 }, () => service.openPage()))
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
