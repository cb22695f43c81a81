import { orderedBuyer } from '@pi-checkout/test-support/demo-buyer'
import { shiftClock } from '@pi-checkout/test-support/probe'
import { storedIntents } from '@pi-checkout/test-support/sandbox'
import { startStack } from '@pi-checkout/test-support/stack'
import { test as base, expect } from '@playwright/test'
import { type Stack, workerFixture } from '../fixtures/test-stack.ts'

const hour = 60 * 60 * 1000

const test = base.extend<object, { stack: Stack }>({
  stack: workerFixture(() => startStack({ probed: true, service: { PI_RATE_LIMIT: '500' } })),
})

/** Offsets of the clock. Each jump is shorter than a day, for which idempotency keys are valid. */
const offsets = [2 * hour, -2 * hour, 20 * 60 * 1000, -12 * hour, 0]

test('charges each order once when the clocks of service and shop jump', async ({ stack }) => {
  test.setTimeout(60_000)
  for (const offset of offsets) {
    // The clock jumps before the handoff, before the session, and before Pay.
    const order = () => orderedBuyer(stack)
    const [early, middle, late] = await Promise.all([order(), order(), order()])
    const [middleHandoff, lateHandoff] = [await middle.handoff(), await late.handoff()]
    await late.page.open(lateHandoff)
    await Promise.all([shiftClock(stack.service, offset), shiftClock(stack.shop, offset)])
    await early.page.open(await early.handoff())
    // An old cookie is ignored or still valid: it never leads to another intent.
    expect((await middle.handoff()).id, `after ${offset} ms`).toBe(middleHandoff.id)
    await middle.page.open(middleHandoff)
    expect((await late.handoff()).id).toBe(lateHandoff.id)
    // The earlier session may have expired: then the page authenticates again.
    if ((await late.page.pay()).status === 401) {
      await late.page.open(lateHandoff)
      await late.page.pay()
    }
    await early.page.pay()
    await middle.page.pay()
    for (const buyer of [early, middle, late]) {
      expect(await buyer.phase(), `after ${offset} ms`).toBe('paid')
    }
  }
  const intents = await storedIntents(stack)
  expect(intents).toHaveLength(offsets.length * 3)
  expect(new Set(intents.map(({ orderId }) => orderId)).size).toBe(intents.length)
  expect(intents.filter(({ status }) => status !== 'succeeded')).toEqual([])
})
