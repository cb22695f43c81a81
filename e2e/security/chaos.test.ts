import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { test as base, expect } from '@playwright/test'
import { HttpBuyer } from '../fixtures/http-buyer.ts'
import { postgresPrograms } from '../fixtures/postgres.ts'
import { type Ending, type ShakenHouse, startShakenHouse } from '../fixtures/shaken-house.ts'
import { tell } from '../fixtures/tell.ts'

/** How long everything is shaken; a release does it for longer. */
const seconds = Number(process.env.PI_CHAOS_SECONDS ?? 6)
const seed = Number(process.env.PI_CHAOS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const buyersAtOnce = 8

const test = base.extend<{ house: ShakenHouse }>({
  house: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
    async ({}, use) => {
      const house = await startShakenHouse(postgresPrograms)
      await use(house)
      await house.stop()
    },
    { timeout: 120_000 },
  ],
})

/** What a buyer was told, as far as the payment got. */
interface Told {
  readonly buyer: HttpBuyer
  order?: string
  intent?: string
  /** The hosted page said that the card was charged. */
  charged?: boolean
  /** The shop said that the order is paid. */
  paid?: boolean
  fault?: string
}

test('whatever is killed or cut off while buyers pay: nothing acknowledged is lost, no order is paid twice, none without its payment', async ({
  house,
}) => {
  test.setTimeout(seconds * 1000 + 120_000)
  const until = performance.now() + seconds * 1000
  const told: Told[] = []
  let shaking = true
  const [shaken] = await Promise.all([
    shake(house, () => performance.now() < until).finally(() => {
      shaking = false
    }),
    buy(house, { told, going: () => shaking }),
  ])

  await house.reconcile()
  const stored = await house.storedIntents()
  const charges = new Map<string, string[]>()
  for (const { id, orderId, status } of stored) {
    if (status === 'succeeded') charges.set(orderId, [...(charges.get(orderId) ?? []), id])
  }
  const shown = await Promise.all(
    told.map(async ({ buyer, order }) => (order ? await buyer.shownState() : undefined)),
  )
  const known = new Set(stored.map(({ id }) => id))
  const isCharged = ({ order = '', intent = '' }: Told): boolean =>
    charges.get(order)?.includes(intent) ?? false
  const losses = {
    orders: told.filter(({ order }, at) => order && !shown[at]).length,
    intents: told.filter(({ intent }) => intent && !known.has(intent)).length,
    charges: told.filter((buyer) => buyer.charged && !isCharged(buyer)).length,
    paid: told.filter(({ paid }, at) => paid && shown[at] !== 'paid').length,
    unnoticed: told.filter((buyer, at) => isCharged(buyer) && shown[at] !== 'paid').length,
  }
  const doubled = [...charges.values()].filter((ids) => ids.length > 1).length
  const unbacked = told.filter((buyer, at) => shown[at] === 'paid' && !isCharged(buyer)).length
  tell('chaos', {
    ...{ seed, seconds, instances: house.instances, database: house.hasDatabase, ...shaken },
    ...{ tried: told.length, acknowledged: told.filter(({ paid }) => paid).length },
    ...{ losses, doubled, unbacked },
  })
  expect(told.flatMap(({ fault }) => fault ?? [])).toEqual([])
  expect(losses).toEqual({ orders: 0, intents: 0, charges: 0, paid: 0, unnoticed: 0 })
  expect({ doubled, unbacked }).toEqual({ doubled: 0, unbacked: 0 })
  expect(told.filter(({ paid }) => paid).length).toBeGreaterThan(buyersAtOnce)
})

interface Shaken {
  readonly terms: number
  readonly kills: number
  readonly cuts: number
}

/** Ends one thing after the other, each kind as often as the others, in an order of chance. */
async function shake(house: ShakenHouse, going: () => boolean): Promise<Shaken> {
  const random = seededRandom(seed)
  const count = { terms: 0, kills: 0, cuts: 0 }
  const end = async (ending: Ending, what: (ending: Ending) => Promise<void>): Promise<void> => {
    await what(ending)
    if (ending === 'SIGTERM') count.terms++
    else count.kills++
  }
  const service = async (ending: Ending): Promise<void> =>
    house.shakeService(Math.floor(random() * house.instances), ending)
  const kinds = [
    () => end('SIGTERM', service),
    () => end('SIGKILL', service),
    () => end('SIGTERM', house.shakeShop),
    () => end('SIGKILL', house.shakeShop),
    async () => {
      if (!house.hasDatabase) return
      await house.shakeDatabase()
      count.cuts++
    },
  ]
  while (going()) {
    const left = [...kinds]
    while (left.length > 0) {
      await sleep(100 + random() * 300)
      const [next] = left.splice(Math.floor(random() * left.length), 1)
      await next?.()
    }
  }
  return count
}

/** Buyers, some at once, each with a separate session and order, all at one address. */
async function buy(
  house: ShakenHouse,
  { told, going }: { readonly told: Told[]; readonly going: () => boolean },
): Promise<void> {
  const one = async (): Promise<void> => {
    while (going()) {
      const number = told.length
      const buyer = new HttpBuyer(house, { patience: 60_000 })
      const note: Told = { buyer }
      told.push(note)
      await pay(note, number).catch((error: unknown) => {
        note.fault = String(error)
      })
    }
  }
  await Promise.all(Array.from({ length: buyersAtOnce }, one))
}

async function pay(note: Told, number: number): Promise<void> {
  const { buyer } = note
  note.order = await buyer.placeOrder()
  const pair = await buyer.handoff()
  note.intent = pair.id
  await buyer.openSession(pair)
  if (number % 4 === 0) await buyer.pay('4000000000000002')
  const { status } = await buyer.pay()
  note.charged = status === 'succeeded'
  note.paid = (await buyer.state()) === 'paid'
}
