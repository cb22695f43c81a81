import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startReconciling } from '../server/checkout.ts'
import { startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeEach(async () => {
  shop = await startShop()
})
afterEach(async () => {
  vi.useRealTimers()
  await shop.close()
})

test('the shop reconciles at its start and each minute until it stops', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  await buyer.handoff(orderId)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const reconciling = startReconciling(shop, 60_000)
  await expect.poll(() => shop.service.count('GET')).toBe(1)
  vi.advanceTimersByTime(60_000)
  await expect.poll(() => shop.service.count('GET')).toBe(2)
  for (const { id } of shop.service.intents()) shop.service.settle(id, 'succeeded')
  vi.advanceTimersByTime(60_000)
  await expect.poll(async () => (await buyer.order(orderId)).state).toBe('paid')
  await reconciling.stop()
  const asked = shop.service.count('GET')
  vi.advanceTimersByTime(600_000)
  expect(shop.service.count('GET')).toBe(asked)
})

test('logs one line if the service rejects the key, and continues', async () => {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  vi.spyOn(shop.intents, 'retrieve').mockRejectedValue(new Error('refused'))
  const buyer = await shop.buyer()
  await buyer.put('thyme-tea', 1)
  await buyer.handoff(await buyer.placeOrder())
  const reconciling = startReconciling(shop, 60_000)
  await expect.poll(() => lines.length).toBe(1)
  await reconciling.stop()
  vi.restoreAllMocks()
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', event: 'settling failed' })
})
