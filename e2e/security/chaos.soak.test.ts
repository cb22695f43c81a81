import { setTimeout as sleep } from 'node:timers/promises'
import { seed } from '@pi-checkout/test-support/generated'
import { HttpBuyer } from '@pi-checkout/test-support/http-buyer'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { test as base, expect } from '@playwright/test'
import { logMetrics } from '../fixtures/log-metrics.ts'
import {
  type RestartableStack,
  type Signal,
  startRestartableStack,
} from '../fixtures/restartable-stack.ts'
import { workerFixture } from '../fixtures/test-stack.ts'

/** For how long processes are restarted; longer before a release. */
const seconds = Number(process.env.PI_CHAOS_SECONDS ?? 6)
const buyersAtOnce = 8

const test = base.extend<object, { stack: RestartableStack }>({
  stack: workerFixture(startRestartableStack),
})

/** What a buyer was shown, as far as the payment got. */
interface Purchase {
  readonly buyer: HttpBuyer
  order?: string
  intent?: string
  /** The hosted page showed that the card was charged. */
  charged?: boolean
  /** The shop showed that the order is paid. */
  paid?: boolean
  error?: string
}

test('keeps acknowledged payments when processes are killed during checkout', async ({ stack }) => {
  test.setTimeout(seconds * 1000 + 120_000)
  const until = performance.now() + seconds * 1000
  const purchases: Purchase[] = []
  let restarting = true
  const [restarts] = await Promise.all([
    restartUntil(stack, until).finally(() => {
      restarting = false
    }),
    buyWhile(stack, purchases, () => restarting),
  ])

  // Each buyer opens the order again: its page retrieves the intents.
  await Promise.all(purchases.map(({ buyer, order }) => order && buyer.settle()))
  const stored = await stack.storedIntents()
  const charges = new Map<string, string[]>()
  for (const { id, orderId, status } of stored) {
    if (status === 'succeeded') charges.set(orderId, [...(charges.get(orderId) ?? []), id])
  }
  const shown = await Promise.all(
    purchases.map(({ buyer, order }) => (order ? buyer.shownState() : undefined)),
  )
  const ids = new Set(stored.map(({ id }) => id))
  const isCharged = ({ order = '', intent = '' }: Purchase): boolean =>
    charges.get(order)?.includes(intent) ?? false
  const count = (matches: (purchase: Purchase, state: string | undefined) => unknown): number =>
    purchases.filter((purchase, index) => matches(purchase, shown[index])).length
  const counts = {
    missingOrders: count(({ order }, state) => order && !state),
    missingIntents: count(({ intent }) => intent && !ids.has(intent)),
    missingCharges: count((purchase) => purchase.charged && !isCharged(purchase)),
    paidOrdersShownUnpaid: count(({ paid }, state) => paid && state !== 'paid'),
    chargesNotNoticed: count((purchase, state) => isCharged(purchase) && state !== 'paid'),
    paidWithoutCharge: count((purchase, state) => state === 'paid' && !isCharged(purchase)),
    ordersChargedTwice: [...charges.values()].filter(({ length }) => length > 1).length,
  }
  const acknowledged = count(({ paid }) => paid)
  logMetrics('chaos', {
    ...{ seed, seconds, instances: stack.instances, database: stack.hasDatabase, ...restarts },
    ...{ started: purchases.length, acknowledged, ...counts },
  })
  expect(purchases.flatMap(({ error }) => error ?? [])).toEqual([])
  expect(Object.entries(counts).filter(([, number]) => number > 0)).toEqual([])
  expect(acknowledged).toBeGreaterThan(buyersAtOnce)
})

/** Restarts one process after the other, each kind equally often, in random order. */
async function restartUntil(stack: RestartableStack, until: number): Promise<object> {
  const random = seededRandom(seed)
  const counts = { SIGTERM: 0, SIGKILL: 0, database: 0 }
  const restart = async (signal: Signal, process: 'service' | 'shop'): Promise<void> => {
    counts[signal]++
    if (process === 'shop') return stack.restartShop(signal)
    await stack.restartService(Math.floor(random() * stack.instances), signal)
  }
  const kinds = [
    () => restart('SIGTERM', 'service'),
    () => restart('SIGKILL', 'service'),
    () => restart('SIGTERM', 'shop'),
    () => restart('SIGKILL', 'shop'),
    async () => {
      if (!stack.hasDatabase) return
      await stack.restartDatabase()
      counts.database++
    },
  ]
  while (performance.now() < until) {
    for (const left = [...kinds]; left.length > 0; ) {
      await sleep(100 + random() * 300)
      const [next] = left.splice(Math.floor(random() * left.length), 1)
      await next?.()
    }
  }
  return counts
}

/** Buyers, some at the same time, each with a separate session and order. */
async function buyWhile(
  stack: RestartableStack,
  purchases: Purchase[],
  condition: () => boolean,
): Promise<void> {
  const buyOrders = async (): Promise<void> => {
    while (condition()) {
      const purchase: Purchase = { buyer: new HttpBuyer(stack, { retryMs: 60_000 }) }
      const isDeclinedFirst = purchases.push(purchase) % 4 === 0
      await pay(purchase, isDeclinedFirst).catch((error: unknown) => {
        purchase.error = String(error)
      })
    }
  }
  await Promise.all(Array.from({ length: buyersAtOnce }, buyOrders))
}

async function pay(purchase: Purchase, isDeclinedFirst: boolean): Promise<void> {
  const { buyer } = purchase
  purchase.order = await buyer.placeOrder()
  const handoff = await buyer.handoff()
  purchase.intent = handoff.id
  await buyer.openSession(handoff)
  if (isDeclinedFirst) await buyer.pay('4000000000000002')
  const { status } = await buyer.pay()
  purchase.charged = status === 'succeeded'
  purchase.paid = (await buyer.state()) === 'paid'
}
