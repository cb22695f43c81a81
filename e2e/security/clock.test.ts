import { test as base, expect } from '@playwright/test'
import { HttpBuyer } from '../fixtures/http-buyer.ts'
import { storedIntents } from '../fixtures/sandbox.ts'
import { startWorld, type World } from '../fixtures/world.ts'

const hour = 60 * 60 * 1000

const test = base.extend<{ world: World }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
  world: async ({}, use) => {
    const world = await startWorld({ probed: true, service: { PI_RATE_LIMIT: '500' } })
    await use(world)
    await world.stop()
  },
})

/** Milliseconds that a machine's clock is set off: each jump shorter than a day, for which keys hold. */
const jumps = [2 * hour, -2 * hour, 20 * 60 * 1000, -12 * hour, 0]

test('a clock that jumps, forward or back, at service and shop, doubles no payment, loses none and locks nobody out', async ({
  world,
}) => {
  test.setTimeout(60_000)
  const places = {
    shop: world.shopUrl.replace('localhost', '127.0.0.1'),
    shopOrigin: world.shopUrl,
    checkout: world.api.baseUrl,
  }
  for (const jump of jumps) {
    // Before the payment, between handoff and session, and between session and Pay.
    const buyers = Array.from({ length: 3 }, () => new HttpBuyer(places))
    const [early, middle, late] = buyers
    await early?.placeOrder()
    await middle?.placeOrder()
    await late?.placeOrder()
    const handed = [await middle?.handoff(), await late?.handoff()]
    await open(late, handed[1])
    await Promise.all([world.service.shiftClock(jump), world.shop.shiftClock(jump)])
    const before = await early?.handoff()
    await open(early, before)
    // An old cookie is worth nothing or still worth the same: it never makes another intent.
    const again = await middle?.handoff()
    expect(again?.id, `after ${jump} ms`).toBe(handed[0]?.id)
    await open(middle, again)
    const repeated = await late?.handoff()
    expect(repeated?.id).toBe(handed[1]?.id)
    // The session of before may be over, as after fifteen minutes: the page shakes hands again.
    await late?.pay().catch(async () => {
      await open(late, repeated)
      await late.pay()
    })
    await early?.pay()
    await middle?.pay()
    for (const buyer of buyers) expect(await buyer.state(), `after ${jump} ms`).toBe('paid')
  }
  const intents = await storedIntents(world)
  expect(intents).toHaveLength(jumps.length * 3)
  expect(new Set(intents.map(({ orderId }) => orderId)).size).toBe(intents.length)
  expect(intents.filter(({ status }) => status !== 'succeeded')).toEqual([])
})

async function open(
  buyer: HttpBuyer | undefined,
  pair: Awaited<ReturnType<HttpBuyer['handoff']>> | undefined,
): Promise<void> {
  if (pair) await buyer?.openSession(pair)
}
